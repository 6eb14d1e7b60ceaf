/**
 * Hanging up just before the end neither saves money nor costs much more: whatever the prompt and the output consist
 * of, the charge is between 80% and 110% of what the provider counts. docs/hang-ups.md shows each of these hang-ups;
 * `HANG_UPS=write npm test test/proxy/attacks/hang-ups` writes its table.
 */
import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { textInside } from '../../../proxy/providers/openai/stream/string-inside.ts';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { spentAtRest } from '../../harness/books.ts';
import { chat } from '../../harness/clients/chat.ts';
import { startGateway } from '../../harness/gateway.ts';
import type { TokenCounts } from '../../harness/providers/scripted-provider.ts';
import { samples } from '../../harness/providers/text-samples.ts';
import { countsOf, lastWord, type Script, tokenizedResponse } from '../../harness/providers/tokenizing.ts';

/** In nano-dollars. */
const [promptPrice, completionPrice] = [1_000, 4_000];
const names = ['plain', 'asked', 'learned', 'pictures', 'other-tokenizer', 'named-tokenizer'];
const model = (name: string) => `
  - { id: test/${name}, kind: chat, ownedBy: test, contextTokens: 4000000, maxOutputTokens: 100000,
      price: { prompt: "1", completion: "4" },
      deployments: [{ provider: scripted, model: ${name}${name === 'named-tokenizer' ? ', tokenRatio: "1.6"' : ''} }] }`;

const { harness, provider, proxy, stop } = await startGateway({
  catalogue: (baseUrl) => `
providers:
  - { id: scripted, protocol: openai, baseUrl: "${baseUrl}" }
models:${names.map(model).join('')}
`,
});
const { proxyKey, accountId } = await harness.createCustomer({ usd: '10000' });

afterAll(stop);

interface Vector {
  readonly name: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly output?: Partial<Omit<Script, 'mayEnd'>>;
  readonly model?: string;
  /** The response is read to its end after the client has left. */
  readonly isRead?: boolean;
  /** How many responses were read to their end before. */
  readonly finishedBefore?: number;
}

const sample = (name: string, times = 1) => (samples[name] ?? '').repeat(times);
const asking = (content: unknown) => ({ messages: [{ role: 'user', content }] });
const long = sample('English', 80);
/** Characters in an order that has no runs. */
const run = (firstCode: number, count: number, length: number) =>
  Array.from({ length }, (_, index) => String.fromCodePoint(firstCode + ((index * index + index) % count))).join('');
const marks = (length: number) => run(0x21, 15, length);
const unspaced = (times: number) => sample('Russian', times).replaceAll(/[^а-яё]/gi, '');
const schema = {
  type: 'object',
  properties: Object.fromEntries(
    ['city', 'country', 'unit', 'days_ahead', 'include_wind', 'language'].map((name) => [
      name,
      { type: 'string', description: `The ${name.replaceAll('_', ' ')} to ask for.`, enum: ['first', 'second'] },
    ]),
  ),
  required: ['city', 'unit'],
  additionalProperties: false,
};
const functions = Array.from({ length: 30 }, (_, index) => ({ name: `get_weather_${index}`, parameters: schema }));
const toolCall = { id: 'c', type: 'function', function: { name: 'f', arguments: sample('JSON', 5) } };
const picture = { type: 'image_url', image_url: { url: 'https://pictures.test/one.png' } };

const vectors: readonly Vector[] = [
  {
    name: 'prompt: 400 KB of English after 16 Ki spaces',
    body: asking(`${sample('blanks')}${sample('English', 800)}`),
  },
  { name: 'prompt: 200,000 punctuation marks', body: asking(marks(200_000)) },
  { name: 'prompt: spaces from U+2000 to U+200A', body: asking(run(0x2000, 11, 20_000)) },
  { name: 'prompt: variation selectors', body: asking(run(0xfe00, 9, 20_000)) },
  { name: 'prompt: Russian without spaces', body: asking(unspaced(40)) },
  ...['Russian', 'Chinese', 'Japanese', 'Arabic', 'emoji', 'code', 'JSON', 'numbers', 'base64', 'hex'].map((name) => ({
    name: `prompt: ${name}`,
    body: asking(sample(name, 10)),
  })),
  { name: 'prompt: 32 Ki spaces between words', body: asking(`word${sample('blanks')}word${sample('blanks')}${long}`) },
  { name: 'prompt: text in `functions`', body: { functions: [{ name: 'f', description: long }] } },
  { name: 'prompt: text in `documents`', body: { documents: [{ title: 'One', text: long }] } },
  {
    name: 'prompt: text in `reasoning_content`',
    body: { messages: [{ role: 'assistant', content: 'Hm.', reasoning_content: long }, ...asking('And?').messages] },
  },
  {
    name: 'prompt: arguments of an earlier tool call',
    body: {
      messages: [
        { role: 'assistant', content: null, tool_calls: [toolCall] },
        { role: 'tool', tool_call_id: 'c', content: 'done' },
      ],
    },
  },
  { name: 'prompt: 30 tools', body: { tools: functions.map((each) => ({ type: 'function', function: each })) } },
  {
    name: 'prompt: JSON schema in `response_format`',
    body: { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { anyOf: functions } } } },
  },
  {
    name: 'prompt: 20 images',
    model: 'pictures',
    body: asking([{ type: 'text', text: 'What are these?' }, ...Array.from({ length: 20 }, () => picture)]),
    isRead: true,
  },
  ...['English', 'Russian', 'Korean', 'emoji', 'code', 'JSON', 'base64'].map((name) => ({
    name: `output: ${name}`,
    output: { text: sample(name, 4), chunkCharacters: 4 },
  })),
  { name: 'output: Russian without spaces', output: { text: unspaced(4) } },
  { name: 'output: punctuation marks', output: { text: marks(3_000) } },
  { name: 'output: spaces from U+2000 to U+200A', output: { text: run(0x2000, 11, 1_000) } },
  {
    name: 'output: dense Chinese, 24 characters per chunk',
    output: { text: sample('Chinese', 4), chunkCharacters: 24 },
  },
  { name: 'output: Chinese, one character per chunk', output: { text: sample('Chinese', 4), chunkCharacters: 1 } },
  { name: 'output: code, 500 characters per chunk', output: { text: sample('code', 4), chunkCharacters: 500 } },
  { name: 'output: tool-call arguments', output: { text: sample('JSON', 4), as: 'arguments' as const } },
  { name: 'output: `n` of 3', body: { n: 3 }, output: { text: sample('English', 4) } },
  {
    name: 'output: hidden reasoning requested by the client',
    model: 'asked',
    body: { reasoning_effort: 'high' },
    output: { hiddenTokens: 5_000 },
    isRead: true,
  },
  {
    name: 'output: hidden reasoning, as in the previous response',
    model: 'learned',
    output: { hiddenTokens: 5_000 },
    isRead: true,
    finishedBefore: 1,
  },
  {
    name: 'output: a tokenizer that counts 40 % less, after one response',
    model: 'other-tokenizer',
    output: { text: sample('English', 12), tokenFactor: 0.6 },
    finishedBefore: 1,
  },
  {
    name: 'output: a tokenizer that counts 60 % more, as the catalogue says',
    model: 'named-tokenizer',
    output: { text: sample('English', 12), tokenFactor: 1.6 },
  },
];

interface Outcome {
  readonly counts: TokenCounts;
  readonly truthNano: number;
  readonly chargedNano: number;
}

const generated = /"(?:content|arguments)":"((?:[^"\\]|\\.)*)"/g;
const outcomes = new Map<string, Outcome>();

/** Sends a request, reads all text, and leaves or stays to the end. */
async function ask(
  { name, body = {}, output = {}, model = 'plain', isRead }: Vector,
  leaves: boolean,
): Promise<Outcome> {
  const mayEnd = Promise.withResolvers<void>();
  const script = { chunkCharacters: 4, ...output, text: `${output.text ?? 'Yes.'}${lastWord}`, mayEnd: mayEnd.promise };
  provider.on(model, tokenizedResponse(script));
  const before = await spentAtRest(harness, accountId);
  const leaving = new AbortController();
  const request = { model: `test/${model}`, stream: true, max_tokens: 50_000, ...body };
  const response = await chat(proxy, proxyKey, request, { signal: leaving.signal });
  expect([name, response.status]).toEqual([name, 200]);
  const reader = response.body?.getReader();
  if (reader === undefined) throw new Error('the answer has no body');
  const truth = provider.requests.at(-1);
  const counts = countsOf(truth?.body ?? {}, script);
  await readText(reader, script.text.length * Number(truth?.body.n ?? 1));
  if (leaves) leaving.abort();
  if (leaves && !isRead) await waitFor('the abort upstream', guardTimeoutMs, async () => truth?.aborted === true);
  // By then the proxy has noticed that the client has left, which no event reports.
  await fetch(`${proxy.url}/healthz`);
  mayEnd.resolve();
  while (!leaves && !(await reader.read()).done);
  const charged = (await spentAtRest(harness, accountId)) - before;
  const truthNano = counts.promptTokens * promptPrice + counts.completionTokens * completionPrice;
  return { counts, truthNano, chargedNano: Number(charged) };
}

/** Reads this many characters of generated text. */
async function readText(reader: { read(): Promise<{ done: boolean; value?: Uint8Array }> }, characters: number) {
  const decoder = new TextDecoder();
  let received = '';
  for (let shown = 0; shown < characters; ) {
    const { done, value } = await reader.read();
    if (done) throw new Error('the answer ended early');
    received += decoder.decode(value, { stream: true });
    shown = 0;
    for (const [, inside = ''] of received.matchAll(generated)) shown += textInside(inside).length;
  }
}

test.each(vectors.map((vector) => [vector.name, vector] as const))(
  'a client that hangs up pays what the provider counts: %s',
  async (name, vector) => {
    for (let count = 0; count < (vector.finishedBefore ?? 0); count += 1) await ask(vector, false);
    const outcome = await ask(vector, true);
    outcomes.set(name, outcome);
    const share = outcome.chargedNano / outcome.truthNano;
    expect(share).toBeGreaterThan(0.8);
    expect(share).toBeLessThan(1.1);
    if (vector.isRead) expect(share).toBe(1);
  },
);

/** Long prompts are sampled at random positions. */
const sampledShare = 0.01;
/** In a row: the charge, before its share. */
const chargedCell = 3;

test('the table in docs/hang-ups.md shows the actual charges', async () => {
  const path = join(import.meta.dir, '../../../docs/hang-ups.md');
  const text = await Bun.file(path).text();
  const table = /(\| hang-up \| .*\n\|[-|]*\n)((?:\|.*\n)*)/;
  const rows = vectors.map(({ name, isRead }) => row(name, isRead === true));
  const written = table.exec(text)?.[2]?.trimEnd().split('\n') ?? [];
  if (process.env.HANG_UPS === 'write') {
    await Bun.write(
      path,
      text.replace(table, (_, head) => `${head}${rows.join('\n')}\n`),
    );
    return;
  }
  const cellsOf = (line: string) => line.split(' | ');
  const exact = (line: string) => cellsOf(line).toSpliced(chargedCell, 2);
  expect(written.map(exact)).toEqual(rows.map(exact));
  for (const [index, line] of rows.entries()) {
    const [charged, shown] = [line, written[index] ?? ''].map((each) => Number(cellsOf(each)[chargedCell]?.slice(1)));
    const share = (charged ?? 0) / (shown ?? 0);
    expect([line, Math.abs(share - 1) < sampledShare]).toEqual([line, true]);
  }
});

function row(name: string, isRead: boolean): string {
  const { counts, truthNano, chargedNano } = outcomes.get(name) ?? {
    counts: { promptTokens: 0, completionTokens: 0 },
    truthNano: 0,
    chargedNano: 0,
  };
  const usd = (nano: number) => `$${(nano / 1e9).toFixed(6)}`;
  const share = `${Math.round((chargedNano / truthNano) * 100)} %`;
  const how = isRead ? 'reported' : 'estimated';
  const { promptTokens, completionTokens } = counts;
  return `| ${name} | ${promptTokens} + ${completionTokens} | ${usd(truthNano)} | ${usd(chargedNano)} | ${share} | ${how} |`;
}
