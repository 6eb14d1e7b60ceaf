/** Clients that leave during a search, and providers that break off: each search is charged once, and never more than the hold. */
import { afterAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseUsd } from '../../../shared/money.ts';
import { spentAtRest, violationsAtRest } from '../../harness/books.ts';
import { inCampaign } from '../../harness/campaigns.ts';
import { startGateway } from '../../harness/gateway.ts';
import { framed } from '../../harness/providers/completions.ts';
import { writtenResponse } from '../../harness/providers/scripted-provider.ts';
import {
  type Searched,
  searchedEvents,
  searchedMessage,
  searchedResponse,
} from '../../harness/providers/web-search.ts';

/** A deployment that breaks off often is no longer asked. */
const breaking = Array.from({ length: 40 }, (_, index) => `breaking-${index}`);

/** 1,000 nano-dollars a prompt token, 2,000 an output token, and 10,000,000 a search. */
const { harness, provider, proxy, stop } = await startGateway({
  catalogue: (baseUrl) => `
markup: "1"
providers:
  - { id: claude, protocol: anthropic, baseUrl: "${baseUrl}" }
  - { id: native, protocol: openai-responses, baseUrl: "${baseUrl}" }
models:
  - { id: test/claude, kind: chat, ownedBy: test, contextTokens: 100000, maxOutputTokens: 1000,
      price: { prompt: "1", completion: "2", webSearch: "0.01" },
      deployments: [{ provider: claude, model: upstream-claude }] }
  - { id: test/native, kind: chat, ownedBy: test, contextTokens: 100000, maxOutputTokens: 1000,
      price: { prompt: "1", completion: "2", webSearch: "0.01" },
      deployments: [{ provider: native, model: upstream-native }] }
${breaking
  .map(
    (name) => `
  - { id: test/${name}, kind: chat, ownedBy: test, contextTokens: 100000, maxOutputTokens: 1000,
      price: { prompt: "1", completion: "2", webSearch: "0.01" },
      deployments: [{ provider: claude, model: upstream-${name} }] }`,
  )
  .join('')}
`,
});
const customer = await harness.createCustomer({ usd: '1000' });

afterAll(stop);

const searchNano = 10_000_000n;
const resultType = 'web_search_tool_result';
const share = fc.integer({ min: 0, max: 999 }).map((thousandths) => thousandths / 1_000);
const request = {
  model: 'test/claude',
  max_tokens: 500,
  stream: true,
  messages: [{ role: 'user', content: 'How many people live in Perm?' }],
  tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 4 }],
};

function post(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${proxy.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.proxyKey}` },
    body: JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  });
}

let spentNano = 0n;

async function chargeOf(act: () => Promise<unknown>): Promise<bigint> {
  const before = spentNano;
  await act();
  spentNano = await spentAtRest(harness, customer.accountId);
  return spentNano - before;
}

const counts = fc.integer({ min: 0, max: 4 }).chain((searches) =>
  fc.record({
    queries: fc.array(fc.string({ minLength: 1, maxLength: 20 }), { minLength: searches, maxLength: searches }),
    failed: fc.integer({ min: 0, max: searches }),
    inputTokens: fc.integer({ min: 0, max: 50_000 }),
    outputTokens: fc.integer({ min: 1, max: 500 }),
  }),
);
const costOf = ({ queries, failed = 0, inputTokens, outputTokens }: Searched) =>
  BigInt(inputTokens) * 1_000n + BigInt(outputTokens) * 2_000n + BigInt(queries.length - failed) * searchNano;

test('the charge is the formula of whatever is used, in both protocols, streamed and whole (campaign)', async () => {
  const inputs = fc.record({ searched: counts, isStream: fc.boolean(), isNative: fc.boolean() });
  let sumNano = 0n;
  const charged = await chargeOf(() =>
    fc.assert(
      fc.asyncProperty(inputs, async ({ searched, isStream, isNative }) => {
        provider.on('upstream-claude', searchedMessage(searched));
        provider.on('upstream-native', searchedResponse(searched));
        const tools = [{ type: 'web_search' }];
        const ofNative = { model: 'test/native', input: 'Perm?', tools, max_tool_calls: 4, stream: isStream };
        const response = isNative
          ? await post('/v1/responses', ofNative)
          : await post('/v1/messages', { ...request, stream: isStream });
        expect(response.status).toBe(200);
        const [, cost] = /"cost":([\d.]+)\}/.exec(await response.text()) ?? [];
        expect<bigint>(parseUsd(cost ?? '')).toBe(costOf(searched));
        sumNano += costOf(searched);
      }),
      { numRuns: inCampaign(50, 200) },
    ),
  );
  expect(charged).toBe(sumNano);
});

test('a client that leaves at any moment is charged what the provider reports at the end (campaign)', async () => {
  const cases = fc.record({ searched: counts, share });
  await fc.assert(
    fc.asyncProperty(cases, async ({ searched, share }) => {
      const events = searchedEvents(searched);
      const left = Promise.withResolvers<void>();
      const before = Math.max(1, Math.floor(events.length * share));
      provider.on(
        'upstream-claude',
        writtenResponse(async ({ write }) => {
          write(framed(events.slice(0, before)));
          await left.promise;
          write(framed(events.slice(before)));
        }),
      );
      const charged = await chargeOf(async () => {
        const count = provider.requests.length;
        const leaving = new AbortController();
        const response = post('/v1/messages', request, leaving.signal);
        response.catch(() => {});
        while (provider.requests.length === count) await Bun.sleep(1);
        leaving.abort();
        await response.catch(() => {});
        left.resolve();
      });
      expect(charged).toBe(costOf(searched));
    }),
    { numRuns: inCampaign(8, 20) },
  );
});

test('a provider that breaks off is paid for the searches that it has shown, and never beyond the hold (campaign)', async () => {
  const quoted = await post('/v1/quote', request);
  const { max_cost: maxCost } = (await quoted.json()) as { max_cost: number };
  const cases = fc.record({ searched: counts, share });
  let count = 0;
  await fc.assert(
    fc.asyncProperty(cases, async ({ searched, share }) => {
      const name = breaking[count % breaking.length];
      count += 1;
      const events = searchedEvents(searched);
      const kept = events.slice(0, Math.floor((events.length - 2) * share));
      const isDelivered = kept.some(({ type }) => type === 'content_block_delta');
      const read = Promise.withResolvers<void>();
      if (!isDelivered) read.resolve();
      provider.on(
        `upstream-${name}`,
        writtenResponse(async ({ write }) => {
          write(framed(kept));
          // Breaking a connection may discard what was written just before.
          await read.promise;
          throw new Error('the connection breaks, as scripted');
        }),
      );
      const found = kept.filter(({ content_block: block }) => JSON.stringify(block)?.includes(resultType)).length;
      const charged = await chargeOf(async () => {
        const response = await post('/v1/messages', { ...request, model: `test/${name}` });
        let text = '';
        for await (const chunk of response.body ?? []) {
          text += Buffer.from(chunk).toString();
          if (text.includes('I will look.') && text.split(`"type":"${resultType}"`).length > found) read.resolve();
        }
      });
      const run = kept.filter(isRun).length;
      expect(charged / searchNano).toBe(isDelivered ? BigInt(run) : 0n);
      expect(charged > 0n).toBe(isDelivered);
      expect(Number(charged)).toBeLessThanOrEqual(maxCost * 1e9);
    }),
    { numRuns: inCampaign(10, 30) },
  );
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
});

test('a provider that reports nothing is paid for what it shows', async () => {
  const searched = { queries: ['one', 'two', 'three'], failed: 1, inputTokens: 100, outputTokens: 10 };
  provider.on('upstream-native', searchedResponse({ ...searched, reportsNothing: true }));
  for (const stream of [false, true]) {
    const body = { model: 'test/native', input: 'Perm?', tools: [{ type: 'web_search' }], stream };
    const charged = await chargeOf(() => post('/v1/responses', body).then((response) => response.text()));
    expect(charged / searchNano).toBe(2n);
  }
});

/** Whether the event is of a search that was run. */
function isRun({ content_block: block }: Readonly<Record<string, unknown>>): boolean {
  const { type, content } = (block ?? {}) as { type?: string; content?: unknown };
  return type === resultType && Array.isArray(content);
}
