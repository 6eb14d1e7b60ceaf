/** A hold covers the maximum cost of a request: any prompt that fits its bytes, and n choices up to the cap. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Call } from '../../../../proxy/nouns/call.ts';
import { noUsage } from '../../../../proxy/nouns/usage.ts';
import type { Model } from '../../../../proxy/pricing/catalogue.ts';
import { costOfUsage } from '../../../../proxy/pricing/cost.ts';
import { quoteOf } from '../../../../proxy/request/admission/quote.ts';
import { picoUsdPerToken } from '../../../../shared/money.ts';
import { pricesAt } from '../../../harness/prices.ts';

const price = fc.bigInt({ min: 0n, max: 1_000_000_000n }).map(picoUsdPerToken);
const share = fc.double({ min: 0, max: 1, noNaN: true });

test('no usage within the bounds of a request costs more than its hold, with n choices and cached tokens', () => {
  fc.assert(
    fc.property(
      fc.record({
        prices: fc.tuple(price, price, price, price, price),
        bytes: fc.integer({ min: 2, max: 20_000_000 }),
        cap: fc.integer({ min: 1, max: 10_000_000 }),
        n: fc.integer({ min: 1, max: 128 }),
        used: fc.tuple(share, share, share),
      }),
      ({ prices: [prompt, cachedPrompt, cacheWrite, completion, reasoning], bytes, cap, n, used }) => {
        const model: Model = {
          id: 'm',
          kind: 'chat',
          ownedBy: 'test',
          createdAt: 0,
          contextTokens: 10_000_000,
          maxOutputTokens: 10_000_000,
          prices: pricesAt({ prompt, cachedPrompt, cacheWrite, completion, reasoning }),
          deployments: [],
        };
        const call: Call = {
          model: 'm',
          // Whole responses are also limited in size.
          stream: true,
          includeUsage: false,
          n,
          choices: n,
          outputCap: cap,
          text: '',
          body: {},
          bytes,
          mediaParts: 0,
          promptTexts: [],
        };
        const quote = quoteOf(model, call);
        const promptTokens = Math.floor(used[0] * Math.min(bytes, model.contextTokens));
        const cachedPromptTokens = Math.floor(used[1] * promptTokens);
        const completionTokens = Math.floor(used[2] * cap * n);
        const cost = costOfUsage(model.prices, {
          ...noUsage,
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
