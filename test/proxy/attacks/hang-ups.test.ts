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
import { countsOf, lastWord, tokenizedResponse } from '../../harness/providers/tokenizing.ts';
import { type Vector, vectors } from './hang-up-vectors.ts';

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
