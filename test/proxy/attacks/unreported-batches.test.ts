/**
 * No one hangs up on a line of a batch, but its provider may not report what it has counted. Whatever the prompt and the output consist
 * of, the charge is then between 80% and 110% of it, and what a line says it costs is what is charged.
 */
import { afterAll, expect, test } from 'bun:test';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { spentAtRest } from '../../harness/books.ts';
import { startGateway } from '../../harness/gateway.ts';
import { countsOf, unreportedResponse } from '../../harness/providers/tokenizing.ts';
import { clientOf, linesOf, runToEnd } from '../../harness/storage/run-batch.ts';
import { openTestStore } from '../../harness/storage/stores.ts';
import { vectors } from './hang-up-vectors.ts';

/** In nano-dollars. */
const [promptPrice, completionPrice] = [1_000, 4_000];
/** The others are about what only a reported usage tells: pictures, hidden reasoning, and what was learned before. */
const told = vectors.filter(({ isRead, finishedBefore = 0 }) => isRead !== true && finishedBefore === 0);

const place = await openTestStore('folder');
const { harness, provider, proxy, stop } = await startGateway({
  proxyEnvironment: place.environment,
  catalogue: (baseUrl) => `
providers:
  - { id: scripted, protocol: openai, baseUrl: "${baseUrl}" }
models:${told
    .map(
      ({ output }, index) => `
  - { id: test/${index}, kind: chat, ownedBy: test, contextTokens: 4000000, maxOutputTokens: 100000,
      price: { prompt: "1", completion: "4" },
      deployments: [{ provider: scripted, model: of-${index}${output?.tokenFactor === undefined ? '' : `, tokenRatio: "${output.tokenFactor}"`} }] }`,
    )
    .join('')}
`,
});
afterAll(async () => {
  await stop();
  await place.remove();
});

test('each line costs what the provider counts, or nearly', async () => {
  const { proxyKey, accountId } = await harness.createCustomer({ usd: '10000' });
  const client = clientOf(proxy, proxyKey);
  await waitFor('the wallet', guardTimeoutMs, () => client.files.list().catch(() => undefined));
  for (const [index, { output = {} }] of told.entries()) {
    provider.on(`of-${index}`, unreportedResponse({ ...output, text: output.text ?? 'Yes.' }));
  }
  const bodyOf = (number: number) => ({
    model: `test/${number - 1}`,
    max_tokens: 50_000,
    messages: [{ role: 'user', content: 'Hello!' }],
    ...told[number - 1]?.body,
  });
  const { output } = await runToEnd(client, linesOf(told.length, bodyOf));
  expect(output).toHaveLength(told.length);
  let sum = 0;
  for (const { custom_id: id, response } of output) {
    const number = Number(id.slice('line-'.length));
    const { name, output: made = {} } = told[number - 1] ?? { name: '' };
    const counts = countsOf(bodyOf(number), { ...made, text: made.text ?? 'Yes.', chunkCharacters: 4 });
    const truth = counts.promptTokens * promptPrice + counts.completionTokens * completionPrice;
    const charged = Math.round((response?.body.usage?.cost ?? 0) * 1e9);
    sum += charged;
    const share = charged / truth;
    expect([name, share > 0.8 && share < 1.1]).toEqual([name, true]);
  }
  expect(await spentAtRest(harness, accountId)).toBe(BigInt(sum));
});
