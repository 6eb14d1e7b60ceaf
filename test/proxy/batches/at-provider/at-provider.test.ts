/** Lines of batches that a provider runs as a batch of its own: any fate of any line, in each form, through the real programs. */
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { guardTimeoutMs, readLedger, waitFor } from '../../../harness/account-view.ts';
import { violationsAtRest } from '../../../harness/books.ts';
import type { Customer } from '../../../harness/customers.ts';
import { startGateway } from '../../../harness/gateway.ts';
import {
  type BatchForm,
  type BatchProvider,
  batchForms,
  type Fate,
  startBatchProvider,
} from '../../../harness/providers/batch-provider.ts';
import {
  type BatchResults,
  clientOf,
  createBatch,
  endOf,
  linesOf,
  resultsOf,
} from '../../../harness/storage/run-batch.ts';
import { openTestStore } from '../../../harness/storage/stores.ts';

const providers = Object.fromEntries(batchForms.map((form) => [form, startBatchProvider(form)])) as Record<
  BatchForm,
  BatchProvider
>;
const place = await openTestStore('folder');
const { harness, proxy, stop } = await startGateway({
  proxyEnvironment: { ...place.environment, BATCHING_API_KEY: 'sk-scripted' },
  catalogue: () => `
providers:${batchForms
    .map(
      (form) => `
  - { id: of-${form}, protocol: ${form}, baseUrl: "${providers[form].baseUrl}", apiKeyEnv: BATCHING_API_KEY }`,
    )
    .join('')}
models:${batchForms
    .map(
      (form) => `
  - id: test/${form}
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 1000
    price: { prompt: "1", completion: "4" }
    batchDiscount: "0.5"
    deployments: [{ provider: of-${form}, model: upstream, batches: true }]`,
    )
    .join('')}
  - id: test/tiered
    kind: chat
    ownedBy: test
    contextTokens: 4000000
    maxOutputTokens: 1000
    price: { prompt: "1", completion: "4", tiers: { flex: { prompt: "0.5", completion: "2" } } }
    deployments: [{ provider: of-openai, model: upstream, batches: true }]
`,
});
afterAll(async () => {
  await stop();
  await Promise.all(batchForms.map((form) => providers[form].stop()));
  await place.remove();
});

const endpointOf = (form: BatchForm) => (form === 'openai-responses' ? '/v1/responses' : '/v1/chat/completions');
const promptOf = (number: number) => `Line ${number}`;
const lines = (form: BatchForm, count: number) =>
  linesOf(
    count,
    (number) => ({
      model: `test/${form}`,
      ...{ [form === 'openai-responses' ? 'input' : 'messages']: [{ role: 'user', content: promptOf(number) }] },
    }),
    endpointOf(form),
  );

async function newCustomer(usd = '10') {
  const customer = await harness.createCustomer({ usd });
  const client = clientOf(proxy, customer.proxyKey);
  await waitFor('the wallet', guardTimeoutMs, () => client.files.list().catch(() => undefined));
  return { customer, client };
}

/** Half of $1 and $4 per million tokens, in nano-dollars. */
const costOf = (promptTokens: number, completionTokens: number) =>
  BigInt(Math.ceil((promptTokens * 500 + completionTokens * 2_000) / 1));
const aloneCost = costOf(10, 10);
const numbersOf = (results: BatchResults['output']) =>
  results.map(({ custom_id: id }) => Number(id.slice('line-'.length))).sort((one, other) => one - other);

const fates: fc.Arbitrary<readonly Fate[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('answered' as const),
        promptTokens: fc.nat(9_000),
        completionTokens: fc.nat(900),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('refused', 'failed', 'missing', 'malformed') }) },
  ) as fc.Arbitrary<Fate>,
  { minLength: 40, maxLength: 60 },
);

/** All is booked, and the provider keeps nothing. */
async function expectCharged({ accountId }: Customer, { sum, provider }: { sum: bigint; provider: BatchProvider }) {
  await waitFor(
    `charges of ${sum}`,
    guardTimeoutMs,
    async () => (await readLedger(harness, accountId)).spentNano === sum,
  );
  expect(await violationsAtRest(harness, [accountId])).toEqual([]);
  expect([...provider.kept]).toEqual([]);
}

/** For the lines of all forms: while one is cancelled, there are fewer again. */
const allAtProviders = (lines: number) =>
  waitFor('lines that wait for their providers', guardTimeoutMs, async () => {
    const wanted = [`gateway_batch_lines{place="here"} 0`, `gateway_batch_lines{place="provider"} ${lines}`];
    const found = (await (await fetch(`${proxy.url}/metrics`)).text()).split('\n');
    return wanted.every((line) => found.includes(line));
  });

/** Each form has a provider of its own, and their batches run beside each other. */
const inEachForm = (step: (form: BatchForm, provider: BatchProvider) => Promise<void>) => () =>
  Promise.all(batchForms.map((form) => step(form, providers[form])));

describe('a batch in each form', () => {
  test(
    'brings each line what the provider made of it, and what it did not run is run on its own',
    inEachForm(async (form, provider) => {
      const [drawn = []] = fc.sample(fates, 1);
      provider.fateOf = (prompt) => drawn[Number(prompt.slice('Line '.length)) - 1] ?? { kind: 'missing' };
      const [sentBefore, aloneBefore] = [provider.batches.length, provider.alone.length];
      const { customer, client } = await newCustomer();
      const created = await createBatch(client, lines(form, drawn.length), { endpoint: endpointOf(form) });
      const { batch, output, errors } = await resultsOf(client, await endOf(client, created));
      expect(batch.status).toBe('completed');

      const numbered = drawn.map((fate, index) => ({ fate, number: index + 1 }));
      const refused = numbered.filter(({ fate }) => fate.kind === 'refused').map(({ number }) => number);
      expect(numbersOf(errors)).toEqual(refused);
      expect(numbersOf(output)).toEqual(
        numbered.map(({ number }) => number).filter((number) => !refused.includes(number)),
      );
      for (const { response } of errors) expect(response).toMatchObject({ status_code: 400 });

      const isAlone = ({ kind }: Fate) => kind === 'failed' || kind === 'missing' || kind === 'malformed';
      expect(provider.alone.slice(aloneBefore).sort()).toEqual(
        numbered
          .filter(({ fate }) => isAlone(fate))
          .map(({ number }) => promptOf(number))
          .sort(),
      );
      const sent = provider.batches.slice(sentBefore);
      expect(sent.flatMap(({ prompts }) => prompts).sort()).toEqual(
        numbered.map(({ number }) => promptOf(number)).sort(),
      );

      const costs = numbered.map(({ fate }) =>
        fate.kind === 'answered' ? costOf(fate.promptTokens, fate.completionTokens) : isAlone(fate) ? aloneCost : 0n,
      );
      const sum = costs.reduce((all, cost) => all + cost, 0n);
      await expectCharged(customer, { sum, provider });
    }),
  );

  let waiting: Promise<unknown> | undefined;
  test(
    'that is cancelled is cancelled there, and what was run until then is charged',
    inEachForm(async (form, provider) => {
      provider.fateOf = (prompt) =>
        prompt.endsWith('3') ? { kind: 'missing' } : { kind: 'answered', promptTokens: 10, completionTokens: 10 };
      provider.isDone = false;
      try {
        const { customer, client } = await newCustomer();
        const sentBefore = provider.batches.length;
        const created = await createBatch(client, lines(form, 20), { endpoint: endpointOf(form) });
        await waitFor('the batch at the provider', guardTimeoutMs, async () => provider.batches.length > sentBefore);
        waiting ??= allAtProviders(20 * batchForms.length);
        await waiting;
        await client.batches.cancel(created.id);
        const { batch, output, errors } = await resultsOf(client, await endOf(client, created));
        expect(batch.status).toBe('cancelled');
        expect(provider.batches.at(-1)?.status).toBe('cancelled');
        expect(numbersOf(errors)).toEqual([3, 13]);
        for (const { error } of errors) expect(error).toMatchObject({ code: 'batch_cancelled' });
        expect(output).toHaveLength(18);
        await expectCharged(customer, { sum: 18n * aloneCost, provider });
      } finally {
        provider.isDone = true;
      }
    }),
  );

  test(
    'that the provider fails to take is sent again, and each line is run once',
    inEachForm(async (form, provider) => {
      provider.fateOf = () => ({ kind: 'answered', promptTokens: 10, completionTokens: 10 });
      const [sentBefore, aloneBefore, refusedBefore] = [
        provider.batches.length,
        provider.alone.length,
        provider.refusals,
      ];
      provider.refusesWith = 503;
      try {
        const { customer, client } = await newCustomer();
        const created = await createBatch(client, lines(form, 20), { endpoint: endpointOf(form) });
        await waitFor('a failure', guardTimeoutMs, async () => provider.refusals > refusedBefore);
        provider.refusesWith = undefined;
        const { output } = await resultsOf(client, await endOf(client, created));
        expect(output).toHaveLength(20);
        expect(provider.batches.slice(sentBefore).map(({ prompts }) => prompts.length)).toEqual([20]);
        expect(provider.alone.slice(aloneBefore)).toEqual([]);
        await expectCharged(customer, { sum: 20n * aloneCost, provider });
      } finally {
        provider.refusesWith = undefined;
      }
    }),
  );

  test(
    'that the provider refuses is run line by line',
    inEachForm(async (form, provider) => {
      provider.refusesWith = 400;
      try {
        const { client } = await newCustomer();
        const aloneBefore = provider.alone.length;
        const created = await createBatch(client, lines(form, 5), { endpoint: endpointOf(form) });
        const { output } = await resultsOf(client, await endOf(client, created));
        expect(output).toHaveLength(5);
        expect(provider.alone.slice(aloneBefore)).toHaveLength(5);
        expect([...provider.kept]).toEqual([]);
      } finally {
        provider.refusesWith = undefined;
      }
    }),
  );
});

test('lines that ask for a tier, or are long, are sent on their own', async () => {
  const provider = providers.openai;
  provider.fateOf = () => ({ kind: 'answered', promptTokens: 10, completionTokens: 10 });
  const [aloneBefore, sentBefore] = [provider.alone.length, provider.batches.length];
  const { client } = await newCustomer();
  const bodyOf = (number: number) => ({
    model: 'test/tiered',
    ...(number === 1 && { service_tier: 'flex' }),
    max_tokens: 100,
    // 1 MiB of them, and few tokens.
    messages: [
      { role: 'user', content: promptOf(number) },
      ...(number === 2 ? [{ role: 'user', content: ' '.repeat(1024 * 1024) }] : []),
    ],
  });
  const { output, errors } = await resultsOf(
    client,
    await endOf(client, await createBatch(client, linesOf(4, bodyOf))),
  );
  expect([numbersOf(output), numbersOf(errors)]).toEqual([[1, 2, 3, 4], []]);
  expect(provider.alone.slice(aloneBefore).sort()).toEqual([promptOf(1), promptOf(2)]);
  expect(
    provider.batches
      .slice(sentBefore)
      .flatMap(({ prompts }) => prompts)
      .sort(),
  ).toEqual([promptOf(3), promptOf(4)]);
});
