/**
 * The token counts and streams of a provider with a current tokenizer: the truth that a charge is compared with. Tools
 * and schemas are counted as the JSON that most chat templates write.
 */
import { countTokens } from '../../../local/demo-provider/tokens.ts';
import { asArray, asRecord } from '../../../proxy/nouns/json/record.ts';
import type { Behaviour } from './scripted-provider.ts';

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

export interface Counts {
  readonly promptTokens: number;
  readonly completionTokens: number;
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
): Counts {
  const shown = countTokens(text) * Number(body.n ?? 1);
  return {
    promptTokens: Math.round(countPrompt(body) * tokenFactor),
    completionTokens: Math.round(shown * tokenFactor) + hiddenTokens,
  };
}

/** Streams the script, with its token count as the usage. */
export function tokenizedResponse(script: Script): Behaviour {
  return ({ body }, { signal }) => {
    const { promptTokens, completionTokens } = countsOf(body, script);
    const encoder = new TextEncoder();
    const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
    const stream = new ReadableStream<Uint8Array>({
      async start(controller) {
        const write = (value: object | string) => {
          const data = typeof value === 'string' ? value : JSON.stringify({ ...head, ...value });
          controller.enqueue(encoder.encode(`data: ${data}\n\n`));
        };
        const indices = Array.from({ length: Number(body.n ?? 1) }, (_, index) => index);
        for (const index of indices) write({ choices: [choice(index, { role: 'assistant', content: '' })] });
        for (const delta of deltasOf(script)) for (const index of indices) write({ choices: [choice(index, delta)] });
        const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        await Promise.race([script.mayEnd, aborted]);
        if (signal.aborted) return;
        for (const index of indices) write({ choices: [{ ...choice(index, {}), finish_reason: 'stop' }] });
        const details = { reasoning_tokens: script.hiddenTokens ?? 0 };
        const usage = { prompt_tokens: promptTokens, completion_tokens: completionTokens };
        write({ choices: [], usage: { ...usage, completion_tokens_details: details } });
        write('[DONE]');
        controller.close();
      },
    });
    return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
  };
}

function choice(index: number, delta: object) {
  return { index, delta, finish_reason: null };
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
