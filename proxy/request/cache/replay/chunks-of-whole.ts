/**
 * A whole completion, chat or text, in chunks, as a provider would have streamed it. Undefined where a message has something of
 * which it is not known how it is streamed.
 */
import { isObject } from '../../../../shared/members.ts';
import { asArray, asRecord, type JsonRecord } from '../../../nouns/json/record.ts';
import type { CompletionKind } from './whole-of-chunks.ts';

const objects = { chat: 'chat.completion.chunk', completion: 'text_completion' } as const;
const messageMembers: ReadonlySet<string> = new Set([
  ...['role', 'content', 'refusal', 'reasoning_content', 'thinking_blocks', 'tool_calls', 'function_call'],
]);
const choiceMembers: ReadonlySet<string> = new Set(['index', 'message', 'text', 'logprobs', 'finish_reason']);

export function chunksOfWhole(completion: JsonRecord, kind: CompletionKind): JsonRecord[] | undefined {
  const { choices, usage: _, ...head } = completion;
  const chunks: JsonRecord[] = [];
  for (const choice of asArray(choices).map(asRecord)) {
    const parts = hasOnlyKnown(choice, choiceMembers) ? partsOf(choice, kind) : undefined;
    if (parts === undefined) return undefined;
    for (const part of parts) chunks.push({ ...head, object: objects[kind], choices: [part] });
  }
  return chunks;
}

function partsOf(choice: JsonRecord, kind: CompletionKind): JsonRecord[] | undefined {
  const { index, logprobs, finish_reason } = choice;
  if (kind === 'completion') return [{ index, text: choice.text, logprobs, finish_reason }];
  const deltas = deltasOf(asRecord(choice.message));
  return deltas?.map((delta, place) => {
    const isLast = place === deltas.length - 1;
    return { index, delta, logprobs: place === 1 ? logprobs : null, finish_reason: isLast ? finish_reason : null };
  });
}

/** The first one has the role, and the last one nothing but the end. */
function deltasOf(message: JsonRecord): JsonRecord[] | undefined {
  if (!hasOnlyKnown(message, messageMembers)) return undefined;
  const { content, refusal, function_call: called } = message;
  const thoughts = thoughtsOf(message);
  if (thoughts === undefined) return undefined;
  const calls = asArray(message.tool_calls).map((call, index) => ({ tool_calls: [{ index, ...asRecord(call) }] }));
  const texts = [
    ...(typeof content === 'string' && content !== '' ? [{ content }] : []),
    ...(typeof refusal === 'string' && refusal !== '' ? [{ refusal }] : []),
  ];
  const functionCall = isObject(called) ? [{ function_call: called }] : [];
  const opening = { role: 'assistant', content: content === null ? null : '' };
  return [opening, ...thoughts, ...texts, ...functionCall, ...calls, {}];
}

/** Each block follows its text. Undefined if the text is another one than that of its blocks. */
function thoughtsOf({ reasoning_content: reasoning, thinking_blocks }: JsonRecord): JsonRecord[] | undefined {
  const text = typeof reasoning === 'string' ? reasoning : '';
  const blocks = asArray(thinking_blocks).map(asRecord);
  if (blocks.length === 0) return text === '' ? [] : [{ reasoning_content: text }];
  const textOf = ({ thinking }: JsonRecord) => (typeof thinking === 'string' ? thinking : '');
  if (blocks.map(textOf).join('') !== text) return undefined;
  return blocks.flatMap((block) => [
    ...(textOf(block) === '' ? [] : [{ reasoning_content: textOf(block) }]),
    { thinking_blocks: [block] },
  ]);
}

/** What is missing, null or empty does not count. */
function hasOnlyKnown(record: JsonRecord, known: ReadonlySet<string>): boolean {
  return Object.entries(record).every(([name, value]) => known.has(name) || isNothing(value));
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}
