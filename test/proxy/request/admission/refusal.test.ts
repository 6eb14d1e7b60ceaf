/** The messages with which requests are refused. */
import { describe, expect, test } from 'bun:test';
import { tooMuch } from '../../../../proxy/request/admission/refusal.ts';

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
