/** Usage as providers report it, normalised, and what it costs. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { noUsage, readUsage, usageSince, withOutputAtMost } from '../../../proxy/nouns/usage.ts';
import { costOfUsage } from '../../../proxy/pricing/cost.ts';
import { picoUsdPerToken } from '../../../shared/money.ts';
import { pricesAt } from '../../harness/prices.ts';

describe('the normalised usage', () => {
  test('has as output tokens the larger of the reported count and the rest of the total', () => {
    expect(readUsage({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 })?.completionTokens).toBe(5);
    // xAI leaves reasoning out of the completion's count, but not out of the total.
    expect(readUsage({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 40 })?.completionTokens).toBe(30);
    expect(readUsage({ prompt_tokens: 10, total_tokens: 10 })?.completionTokens).toBe(0);
  });

  test('has cached and reasoning tokens under all names, which never exceed their total', () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    expect(readUsage({ ...usage, prompt_tokens_details: { cached_tokens: 4 } })?.cachedPromptTokens).toBe(4);
    expect(readUsage({ ...usage, prompt_cache_hit_tokens: 3 })?.cachedPromptTokens).toBe(3);
    expect(readUsage({ ...usage, prompt_cache_hit_tokens: 99 })?.cachedPromptTokens).toBe(10);
    expect(readUsage({ ...usage, completion_tokens_details: { reasoning_tokens: 9 } })?.reasoningTokens).toBe(5);
  });

  test('has cache writes and reads under several names, both as part of the prompt', () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const written = [{ prompt_tokens_details: { cache_write_tokens: 4 } }, { cache_creation_input_tokens: 4 }];
    for (const more of written) expect(readUsage({ ...usage, ...more })?.cacheWriteTokens).toBe(4);
    for (const name of ['cache_read_input_tokens', 'cached_tokens', 'num_cached_tokens']) {
      expect(readUsage({ ...usage, [name]: 4 })?.cachedPromptTokens).toBe(4);
    }
    expect(readUsage({ ...usage, cached_tokens: 8, cache_creation_input_tokens: 8 })).toMatchObject({
      cachedPromptTokens: 8,
      cacheWriteTokens: 2,
    });
    const named = { cachedTokensField: 'precached_prompt_tokens' };
    expect(readUsage({ ...usage, precached_prompt_tokens: 6 }, named)?.cachedPromptTokens).toBe(6);
    expect(readUsage(usage, named)?.cachedPromptTokens).toBe(0);
  });

  test('has the rest of the total for a null count', () => {
    expect(readUsage({ prompt_tokens: 10, completion_tokens: null, total_tokens: 15 })?.completionTokens).toBe(5);
    expect(readUsage({ prompt_tokens: null, completion_tokens: 5, total_tokens: 15 })?.promptTokens).toBe(10);
    expect(readUsage({ prompt_tokens: null, completion_tokens: 15, total_tokens: 5 })).toBeNull();
    expect(readUsage({ prompt_tokens: 10, completion_tokens: -5, total_tokens: 15 })?.completionTokens).toBe(5);
  });

  test('has no null or absurd counts, while 0 is zero', () => {
    expect(readUsage({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 })).toMatchObject({
      promptTokens: 0,
      completionTokens: 0,
    });
    const missing = [undefined, null, {}, 'text', { prompt_tokens: null, completion_tokens: 1 }, { prompt_tokens: 5 }];
    const absurd = [-1, 1.5, 1e12, Number.NaN, '7'].map((prompt_tokens) => ({ prompt_tokens, completion_tokens: 1 }));
    for (const value of [...missing, ...absurd]) expect(readUsage(value)).toBeNull();
  });
});

test('the parts of a response that was interrupted never exceed its output, which never exceeds its limit', () => {
  const count = fc.integer({ min: 0, max: 10_000 });
  const delivered = fc.tuple(count, count).map(([text, audio]) => ({ tokens: text + audio, audioTokens: audio }));
  fc.assert(
    fc.property(fc.tuple(count, count, count), delivered, delivered, count, (parts, before, since, tokensMax) => {
      const [text, reasoningTokens, audioCompletionTokens] = parts;
      const completionTokens = text + reasoningTokens + audioCompletionTokens;
      const reported = { ...noUsage, completionTokens, reasoningTokens, audioCompletionTokens };
      const now = { tokens: before.tokens + since.tokens, audioTokens: before.audioTokens + since.audioTokens };
      const usage = usageSince(reported, { before, now });
      const added = completionTokens === 0 ? now : since;
      expect(usage.completionTokens).toBe(completionTokens + added.tokens);
      expect(usage.audioCompletionTokens).toBe(audioCompletionTokens + added.audioTokens);
      const limited = withOutputAtMost(usage, tokensMax);
      expect(limited.completionTokens).toBe(Math.min(usage.completionTokens, tokensMax));
      expect(limited.reasoningTokens + limited.audioCompletionTokens).toBeLessThanOrEqual(limited.completionTokens);
      if (usage.completionTokens <= tokensMax) expect(limited).toEqual(usage);
    }),
  );
});

test('the cost follows the documented formula, with a price for cached tokens, rounded up once', () => {
  const tokens = fc.integer({ min: 0, max: 10_000_000 });
  const price = fc.bigInt({ min: 0n, max: 1_000_000_000n }).map(picoUsdPerToken);
  const counts = fc.tuple(tokens, tokens, tokens, tokens, tokens);
  const priceLists = fc.tuple(price, price, price, price, price);
  fc.assert(
    fc.property(counts, priceLists, (count, [prompt, cachedPrompt, cacheWrite, completion, reasoning]) => {
      const usage = {
        ...noUsage,
        promptTokens: count[0] + count[1] + count[2],
        cachedPromptTokens: count[1],
        cacheWriteTokens: count[2],
        completionTokens: count[3] + count[4],
        reasoningTokens: count[4],
      };
      const prices = pricesAt({ prompt, cachedPrompt, cacheWrite, completion, reasoning });
      const cost = costOfUsage({ prices }, usage);
      const exact = [prompt, cachedPrompt, cacheWrite, completion, reasoning].reduce(
        (sum, each, index) => sum + each * BigInt(count[index] ?? 0),
        0n,
      );
      expect(cost * 1_000n - exact >= 0n && cost * 1_000n - exact < 1_000n).toBe(true);
    }),
  );
});
