/** The messages with which requests are refused. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { refusalOf, tooMuch } from '../../../../proxy/request/admission/refusal.ts';
import type { Plan } from '../../../../proxy/request/planning/plan.ts';
import { budgetKinds } from '../../../../shared/limits/budget-levels.ts';
import { utcOffsets } from '../../../../shared/limits/zone-offsets.ts';
import { nanoUsd, picoUsdPerToken } from '../../../../shared/money.ts';

const whose = { key: 'This API key', account: 'This account' } as const;
const units = {
  requests: ['request per minute', 'requests per minute'],
  tokens: ['token per minute', 'tokens per minute'],
  streams: ['concurrent request', 'concurrent requests'],
} as const;

describe.each(['requests', 'tokens', 'streams'] as const)('a limit of %s', (what) => {
  test.each(['key', 'account'] as const)('the limit of the %s is singular for one and plural otherwise', (scope) => {
    const [one, many] = units[what];
    for (const [limit, text] of [
      [1, `1 ${one}`],
      [2, `2 ${many}`],
      [6_000, `6,000 ${many}`],
    ] as const) {
      const { message } = tooMuch({ ok: false, reason: 'limited', what, scope, limit, retryAfterMs: 1 });
      expect(message).toBe(`${whose[scope]} is limited to ${text}.`);
    }
  });
});

test('a budget that covers the request without what is in flight is worth a retry in a second', () => {
  const price = picoUsdPerToken(1_000n);
  const quoted = { outputPrice: price, outputCap: 100, largestCap: 1_000, fixedParts: [], promptPartNano: nanoUsd(0n) };
  const amounts = fc.record({
    kind: fc.constantFrom(...budgetKinds),
    lowestCap: fc.constantFrom(0, 16),
    left: fc.bigInt(0n, 99n),
    held: fc.bigInt(0n, 200n),
  });
  fc.assert(
    fc.property(amounts, ({ kind: { level, limit }, lowestCap, left, held }) => {
      const quote = { ...quoted, lowestCap, amountNano: nanoUsd(100n) };
      const budget = { level: level.name, period: limit.name, amountNano: nanoUsd(1_000n), zone: utcOffsets };
      const amountsLeft = { leftNano: nanoUsd(left), leftAtRestNano: nanoUsd(left + held) };
      const error = refusalOf({ ok: false, reason: 'budget_short', ...amountsLeft, ...budget }, {
        models: ['demo/chat'],
        dearest: { quote },
      } as unknown as Plan);
      const isReserved = held > 0n && left + held >= BigInt(lowestCap || 100);
      expect(error.isReserved).toBe(isReserved);
      expect(error.message.includes('requests in flight hold $')).toBe(isReserved);
      if (isReserved) expect(error.retryAfterSeconds).toBe(1);
      else expect(error.retryAfterSeconds === undefined).toBe(limit.window === undefined);
    }),
  );
});
