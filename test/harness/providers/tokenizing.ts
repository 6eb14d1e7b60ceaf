/**
 * The token counts and streams of a provider with a current tokenizer: the truth that a charge is compared with. Tools
 * and schemas are counted as the JSON that most chat templates write.
 */
import { eventOf, lastEvent } from '../../../local/demo-provider/event-stream.ts';
import { countTokens } from '../../../local/demo-provider/tokens.ts';
import { usageOf } from '../../../local/demo-provider/usage.ts';
import { asArray, asRecord } from '../../../proxy/nouns/json/record.ts';
import { chunkOf, completionOf, usageChunk } from './chunks.ts';
import { type Behaviour, type TokenCounts, untilAborted, writtenResponse } from './scripted-provider.ts';

/** OpenAI's count for a picture of 1024 × 1024 in detail. */
const pictureTokens = 765;
const templateTokens = 3;

export interface Script {
  /** Streamed in each choice; ends with `lastWord`. */
  readonly text: string;
  readonly as?: 'content' | 'arguments';
  readonly chunkCharacters: number;
  readonly hiddenTokens?: number;
  /** This tokenizer's count for one of our tokens. */
  readonly tokenFactor?: number;
  /** The end of the response is held back until this resolves. */
  readonly mayEnd: Promise<void>;
}

/** A client that has seen it has seen everything except the end. */
export const lastWord = ' THE-LAST-WORD';

export function countPrompt(body: Readonly<Record<string, unknown>>): number {
  const { messages, tools, functions, documents, response_format: format } = body;
  const written = [tools, functions, documents, asRecord(format).json_schema].filter((value) => value !== undefined);
  let tokens = templateTokens;
  for (const value of written) tokens += countTokens(JSON.stringify(value));
  for (const message of asArray(messages).map(asRecord)) {
    tokens += templateTokens + countTokens(String(message.reasoning_content ?? ''));
    for (const { function: call } of asArray(message.tool_calls).map(asRecord)) {
      tokens +=
        countTokens(JSON.stringify({ name: asRecord(call).name })) + countTokens(String(asRecord(call).arguments));
    }
    if (typeof message.content === 'string') tokens += countTokens(message.content);
    for (const { type, text } of asArray(message.content).map(asRecord)) {
      tokens += type === 'text' ? countTokens(String(text)) : pictureTokens;
    }
  }
  return tokens;
}

export function countsOf(
  body: Readonly<Record<string, unknown>>,
  { text, hiddenTokens = 0, tokenFactor = 1 }: Omit<Script, 'mayEnd'>,
): TokenCounts {
  const shown = countTokens(text) * Number(body.n ?? 1);
  return {
    promptTokens: Math.round(countPrompt(body) * tokenFactor),
    completionTokens: Math.round(shown * tokenFactor) + hiddenTokens,
  };
}

/** Streams the script, with its token count as the usage. */
export function tokenizedResponse(script: Script): Behaviour {
  return writtenResponse(async ({ truth, signal, write }) => {
    const { promptTokens, completionTokens } = countsOf(truth.body, script);
    const writeToEach = (delta: object, finish: string | null = null) => {
      for (let index = 0; index < Number(truth.body.n ?? 1); index += 1) write(eventOf(chunkOf(delta, finish, index)));
    };
    writeToEach({ role: 'assistant', content: '' });
    for (const delta of deltasOf(script)) writeToEach(delta);
    await Promise.race([script.mayEnd, untilAborted(signal)]);
    if (signal.aborted) return;
    writeToEach({}, 'stop');
    const details = { completion_tokens_details: { reasoning_tokens: script.hiddenTokens ?? 0 } };
    write(eventOf(usageChunk({ ...usageOf(promptTokens, completionTokens), ...details })));
    write(lastEvent);
  });
}

/** The script as a whole response, of a provider that does not report what it has counted. */
export function unreportedResponse({ text, as = 'content' }: Pick<Script, 'text' | 'as'>): Behaviour {
  return ({ body }) => {
    const call = { id: 'call', type: 'function', function: { name: 'f', arguments: text } };
    const message = as === 'content' ? { content: text } : { content: null, tool_calls: [call] };
    const { choices, ...completion } = completionOf(message);
    const repeated = Array.from({ length: Number(body.n ?? 1) }, (_, index) => ({ ...choices[0], index }));
    return Response.json({ ...completion, choices: repeated });
  };
}

function deltasOf({ text, as = 'content', chunkCharacters }: Script): object[] {
  const characters = Array.from(text);
  const deltas: object[] = [];
  if (as === 'arguments')
    deltas.push({ tool_calls: [{ index: 0, id: 'call', type: 'function', function: { name: 'f', arguments: '' } }] });
  for (let start = 0; start < characters.length; start += chunkCharacters) {
    const chunk = characters.slice(start, start + chunkCharacters).join('');
    deltas.push(as === 'content' ? { content: chunk } : { tool_calls: [{ index: 0, function: { arguments: chunk } }] });
  }
  return deltas;
}
