/**
 * A hold covers the maximum cost of a request: any prompt that fits its bytes, n choices up to the cap, and each rate that
 * the request can reach.
 */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { noUsage } from '../../../../proxy/nouns/usage.ts';
import type { Model } from '../../../../proxy/pricing/catalogue.ts';
import { costOfUsage } from '../../../../proxy/pricing/cost.ts';
import { pricedFor } from '../../../../proxy/pricing/price-call.ts';
import { quoteOf } from '../../../../proxy/request/planning/quote.ts';
import { picoUsdEach, picoUsdPerToken } from '../../../../shared/money.ts';
import { serviceTiers } from '../../../../shared/usage/rates.ts';
import { pricesAt } from '../../../harness/prices.ts';
import { testCall } from '../../providers/openai/calls.ts';

const price = fc.bigInt({ min: 0n, max: 1_000_000_000n }).map(picoUsdPerToken);
const share = fc.double({ min: 0, max: 1, noNaN: true });
const priceList = fc
  .tuple(price, price, price, price, price)
  .map(([prompt, cachedPrompt, cacheWrite, completion, reasoning]) =>
    pricesAt({ prompt, cachedPrompt, cacheWrite, completion, reasoning }),
  );
const anyTier = fc.constantFrom(...serviceTiers);
const rates = fc.array(
  fc.record({ tier: anyTier, above: fc.integer({ min: 0, max: 10_000_000 }), prices: priceList }),
  { maxLength: 6 },
);

test('no usage within the bounds of a request costs more than its hold, at whichever rate it is charged', () => {
  fc.assert(
    fc.property(
      fc.record({
        prices: priceList,
        rates,
        requested: anyTier,
        reported: fc.option(anyTier, { nil: undefined }),
        bytes: fc.integer({ min: 2, max: 20_000_000 }),
        cap: fc.integer({ min: 1, max: 10_000_000 }),
        n: fc.integer({ min: 1, max: 128 }),
        used: fc.tuple(share, share, share),
      }),
      ({ prices, rates, requested, reported, bytes, cap, n, used }) => {
        const listed: Model = {
          id: 'm',
          kind: 'chat',
          ownedBy: 'test',
          createdAt: 0,
          contextTokens: 10_000_000,
          maxOutputTokens: 10_000_000,
          prices,
          rates,
          deployments: [],
        };
        const call = testCall({
          model: 'm',
          // Whole responses are also limited in size.
          stream: true,
          n,
          choices: n,
          outputCap: cap,
          body: { service_tier: requested },
          bytes,
        });
        fc.pre(requested === 'default' || rates.some(({ tier }) => tier === requested));
        const model = pricedFor(listed, call);
        const quote = quoteOf(model, call);
        const promptTokens = Math.floor(used[0] * Math.min(bytes, model.contextTokens));
        const cachedPromptTokens = Math.floor(used[1] * promptTokens);
        const completionTokens = Math.floor(used[2] * cap * n);
        const cost = costOfUsage(model, {
          ...noUsage,
          ...(reported !== undefined && { tier: reported }),
          promptTokens,
          cachedPromptTokens,
          cacheWriteTokens: Math.floor(used[2] * (promptTokens - cachedPromptTokens)),
          completionTokens,
          reasoningTokens: Math.floor(used[1] * completionTokens),
        });
        expect(cost <= quote.amountNano).toBe(true);
      },
    ),
  );
});

test('no run of searches of the web costs more than the hold, however their results are spread over it', () => {
  // The bounds are reached only where everything is at its extreme.
  const often = (most: number) => fc.oneof(fc.constant(most), fc.integer({ min: 0, max: most }));
  const fully = fc.oneof({ arbitrary: fc.constant(1), weight: 3 }, share);
  const searched = fc.record({ tokens: often(16_384), saidBefore: fully });
  fc.assert(
    fc.property(
      fc.record({
        prices: priceList,
        rates,
        searchPrice: fc.bigInt({ min: 0n, max: 10n ** 12n }).map(picoUsdEach),
        contextTokens: often(100_000_000),
        bytes: fc.integer({ min: 2, max: 2_000_000 }),
        cap: fc.integer({ min: 1, max: 100_000 }),
        usesMax: fc.integer({ min: 1, max: 40 }),
        searches: fc.array(searched, { minLength: 40, maxLength: 50 }),
        used: fc.tuple(fully, fully, fc.oneof(fc.constant(0), share)),
      }),
      ({ prices, rates, searchPrice, contextTokens, bytes, cap, usesMax, searches, used }) => {
        const listed: Model = {
          id: 'm',
          kind: 'chat',
          ownedBy: 'test',
          createdAt: 0,
          contextTokens,
          maxOutputTokens: 100_000,
          prices: { ...prices, each: { webSearch: searchPrice } },
          rates,
          deployments: [],
        };
        const webSearch = { usesMax, filters: {} };
        const call = testCall({ model: 'm', stream: true, outputCap: cap, body: {}, bytes, webSearch });
        const model = pricedFor(listed, call);
        const completionTokens = Math.floor(used[0] * cap);
        const ran = searches.slice(0, usesMax);
        // The model reads what it is sent once, and again after each search, with what it has said and found until then.
        let reading = Math.floor(used[1] * Math.min(bytes, contextTokens));
        const said = ran.map(({ saidBefore }) => Math.floor(saidBefore * completionTokens)).sort((a, b) => a - b);
        let promptTokens = reading;
        let found = 0;
        const sent = reading;
        for (const [index, { tokens }] of ran.entries()) {
          found += tokens;
          reading = Math.min(sent + found + (said[index] ?? 0), contextTokens);
          promptTokens += reading;
        }
        const cachedPromptTokens = Math.floor(used[2] * promptTokens);
        const usage = {
          ...noUsage,
          promptTokens,
          cachedPromptTokens,
          cacheWriteTokens: Math.floor(used[1] * (promptTokens - cachedPromptTokens)),
          completionTokens,
          webSearches: ran.length,
        };
        expect(costOfUsage(model, usage) <= quoteOf(model, call).amountNano).toBe(true);
      },
    ),
  );
});
