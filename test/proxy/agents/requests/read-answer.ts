/** What a program reads of a response: the text, the calls, why it ended, and the usage. Checks the form on the way. */
import { expect } from 'bun:test';
import { asArray, asRecord, type JsonRecord } from '../../../../proxy/nouns/json/record.ts';
import type { SentRequest } from './sent-request.ts';

export interface Answer {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  readonly finish: unknown;
  /** Undefined if a stream has none. */
  readonly usage: JsonRecord | undefined;
}

export async function readAnswer({ path, body }: SentRequest, response: Response): Promise<Answer> {
  if (path === '/v1/responses') return body.stream === true ? readEvents(response) : readObject(await bodyOf(response));
  return body.stream === true ? readChunks(response) : readCompletion(await bodyOf(response));
}

async function bodyOf(response: Response): Promise<JsonRecord> {
  return asRecord(await response.json());
}

function readCompletion({ id, object, choices, usage }: JsonRecord): Answer {
  expect({ id, object }).toMatchObject({ id: expect.stringMatching(/./), object: 'chat.completion' });
  const { message, finish_reason: finish } = asRecord(asArray(choices)[0]);
  const { role, content, tool_calls: calls } = asRecord(message);
  expect(role).toBe('assistant');
  return { text: String(content ?? ''), calls: asArray(calls).map(readCall), finish, usage: asRecord(usage) };
}

function readCall(call: unknown) {
  const { id, type, function: called } = asRecord(call);
  expect({ id, type }).toMatchObject({ id: expect.stringMatching(/./), type: 'function' });
  const { name, arguments: written } = asRecord(called);
  return { name: String(name), arguments: String(written) };
}

/** The data of each event; comments are pings. */
async function dataOf(response: Response): Promise<string[]> {
  expect(response.headers.get('content-type')).toStartWith('text/event-stream');
  const lines = (await response.text()).split('\n');
  return lines.filter((line) => line.startsWith('data: ')).map((line) => line.slice('data: '.length));
}

async function readChunks(response: Response): Promise<Answer> {
  const data = await dataOf(response);
  expect(data.pop()).toBe('[DONE]');
  const chunks = data.map((text) => asRecord(JSON.parse(text)));
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  const choices = chunks.flatMap((chunk) => asArray(chunk.choices)).map(asRecord);
  const deltas = choices.map(({ delta }) => asRecord(delta));
  expect(deltas[0]?.role).toBe('assistant');
  const calls = new Map<unknown, JsonRecord & { name: string; arguments: string }>();
  for (const { index, id, type, function: called } of deltas
    .flatMap((delta) => asArray(delta.tool_calls))
    .map(asRecord)) {
    const { name, arguments: written } = asRecord(called);
    const known = calls.get(index) ?? { id, type, name: String(name), arguments: '' };
    calls.set(index, { ...known, arguments: known.arguments + String(written ?? '') });
  }
  const ends = choices.map(({ finish_reason: reason }) => reason).filter((reason) => reason !== null);
  expect(ends).toHaveLength(1);
  expect(choices.at(-1)?.finish_reason).toBe(ends[0]);
  const { choices: last, usage } = chunks.at(-1) ?? {};
  const text = deltas.map(({ content }) => String(content ?? '')).join('');
  const read = [...calls.values()].map(({ id, type, name, arguments: written }) =>
    readCall({ id, type, function: { name, arguments: written } }),
  );
  return { text, calls: read, finish: ends[0], usage: asArray(last).length === 0 ? asRecord(usage) : undefined };
}

async function readEvents(response: Response): Promise<Answer> {
  const events = (await dataOf(response)).map((text) => asRecord(JSON.parse(text)));
  expect(events[0]?.type).toBe('response.created');
  const last = events.at(-1);
  expect(last?.type).toBe('response.completed');
  return readObject(asRecord(last?.response));
}

function readObject({ output, status, usage }: JsonRecord): Answer {
  expect(status).toBe('completed');
  const items = asArray(output).map(asRecord);
  const calls = items
    .filter(({ type }) => type === 'function_call')
    .map(({ name, arguments: written }) => ({ name: String(name), arguments: String(written) }));
  const texts = items.flatMap(({ content }) => asArray(content)).map((part) => String(asRecord(part).text));
  const { input_tokens, output_tokens, ...more } = asRecord(usage);
  const counts = { ...more, prompt_tokens: input_tokens, completion_tokens: output_tokens };
  return { text: texts.join(''), calls, finish: calls.length > 0 ? 'tool_calls' : 'stop', usage: counts };
}
