/**
 * The whole completion that chunks add up to, chat or text, as the provider would have given it. Undefined where a chunk has
 * something of which it is not known how parts of it are joined.
 */
import { isObject, withoutUndefined } from '../../../../shared/members.ts';
import { asArray, asRecord, type JsonRecord } from '../../../nouns/json/record.ts';

type Growing = Record<string, unknown>;

export type CompletionKind = 'chat' | 'completion';

const objects = { chat: 'chat.completion', completion: 'text_completion' } as const;
/** Of chunks alone. */
const ofChunks = ['choices', 'usage', 'object', 'obfuscation'];
const choiceMembers: ReadonlySet<string> = new Set(['index', 'delta', 'text', 'logprobs', 'finish_reason']);
const texts: ReadonlySet<string> = new Set(['content', 'refusal', 'reasoning_content']);

/** Without its usage. */
export function wholeOfChunks(chunks: readonly JsonRecord[], kind: CompletionKind): JsonRecord | undefined {
  const [first] = chunks;
  if (first === undefined) return undefined;
  const choices = new Map<number, Growing>();
  for (const chunk of chunks) {
    for (const part of asArray(chunk.choices).map(asRecord)) {
      if (!joinChoice(choices, part, kind)) return undefined;
    }
  }
  const inOrder = [...choices.values()].sort((one, other) => Number(one.index) - Number(other.index));
  const head = Object.entries(first).filter(([name]) => !ofChunks.includes(name));
  const finished = inOrder.map((choice) => (kind === 'chat' ? finishChat(choice) : choice));
  return { ...Object.fromEntries(head), object: objects[kind], choices: finished };
}

function joinChoice(choices: Map<number, Growing>, part: JsonRecord, kind: CompletionKind): boolean {
  if (Object.keys(part).some((name) => !choiceMembers.has(name) && (part[name] ?? null) !== null)) return false;
  const index = Number(part.index);
  let choice = choices.get(index);
  if (choice === undefined) {
    choice = { index, ...(kind === 'chat' ? { message: {} } : { text: '' }), logprobs: null, finish_reason: null };
    choices.set(index, choice);
  }
  if (part.finish_reason !== undefined && part.finish_reason !== null) choice.finish_reason = part.finish_reason;
  choice.logprobs = joinLists(choice.logprobs, part.logprobs);
  if (kind === 'chat') return joinDelta(asRecord(choice.message) as Growing, asRecord(part.delta));
  choice.text = `${choice.text}${typeof part.text === 'string' ? part.text : ''}`;
  return true;
}

function joinDelta(message: Growing, delta: JsonRecord): boolean {
  for (const [name, value] of Object.entries(delta)) {
    if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    if (name === 'role') message.role = value;
    else if (texts.has(name) && typeof value === 'string') message[name] = `${message[name] ?? ''}${value}`;
    else if (name === 'thinking_blocks') {
      if (hasBegun(message)) return false;
      message[name] = [...asArray(message[name]), ...asArray(value)];
    } else if (name === 'tool_calls') joinCalls(message, asArray(value).map(asRecord));
    else if (name === 'function_call') message[name] = joinCalled(message[name], asRecord(value), 'arguments');
    else return false;
  }
  return true;
}

/** Signed thinking behind it stood at a place that a whole message does not have. */
function hasBegun({ content, tool_calls }: Growing): boolean {
  return Boolean(content) || tool_calls !== undefined;
}

/** In the order of their index, which they have only in chunks. */
function joinCalls(message: Growing, parts: readonly JsonRecord[]): void {
  message.tool_calls ??= [];
  const calls = message.tool_calls as Growing[];
  for (const { index, function: called, custom, ...rest } of parts) {
    const place = Number(index);
    const call: Growing = calls[place] ?? {};
    calls[place] = call;
    for (const [name, value] of Object.entries(rest)) if (value !== null && value !== undefined) call[name] = value;
    if (isObject(called)) call.function = joinCalled(call.function, called, 'arguments');
    if (isObject(custom)) call.custom = joinCalled(call.custom, custom, 'input');
  }
}

function joinCalled(before: unknown, part: JsonRecord, growing: 'arguments' | 'input'): JsonRecord {
  const known = asRecord(before);
  const more = part[growing];
  const given = withoutUndefined({ ...part, name: part.name ?? known.name });
  return { ...known, ...given, [growing]: `${known[growing] ?? ''}${typeof more === 'string' ? more : ''}` };
}

/** Of chat `{content: […], refusal: […]}`, of text completions four lists and one that counts from the beginning. */
function joinLists(before: unknown, more: unknown): unknown {
  if (!isObject(more)) return before ?? null;
  const joined: Growing = { ...asRecord(before) };
  for (const [name, value] of Object.entries(more)) {
    joined[name] = Array.isArray(value) ? [...asArray(joined[name]), ...value] : (joined[name] ?? value);
  }
  return joined;
}

function finishChat({ index, message, logprobs, finish_reason }: Growing): JsonRecord {
  const own = asRecord(message);
  const calls = isObject(own.function_call) || asArray(own.tool_calls).length > 0;
  const content = own.content ?? (calls ? null : '');
  return {
    index,
    message: { ...own, role: 'assistant', content, refusal: own.refusal ?? null },
    logprobs,
    finish_reason,
  };
}
