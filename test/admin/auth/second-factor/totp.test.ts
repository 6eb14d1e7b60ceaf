/** Codes of authenticator apps, against the test vectors of RFC 6238 (appendix B), of which apps show the last six digits. */
import { describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { Secret, URI } from 'otpauth';
import { newTotpSecret, stepOfCode, totpUrl } from '../../../../admin/auth/second-factor/totp.ts';

const secret = Secret.fromLatin1('12345678901234567890').base32;
const vectors: readonly [seconds: number, code: string][] = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
];

/** As the RFC describes it, independently of the library. */
function codeAt(key: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', Secret.fromBase32(key).bytes).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

describe('codes of an authenticator app', () => {
  test.each(vectors)('at second %i are those of RFC 6238', (seconds, code) => {
    expect(stepOfCode({ secret, code: code.slice(-6), nowMs: seconds * 1_000 })).toBe(Math.floor(seconds / 30));
  });

  test('are accepted in their own thirty seconds and those around them, whatever the secret', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1e9, max: 4e9 }), fc.integer({ min: -5, max: 5 }), (seconds, apart) => {
        const own = newTotpSecret();
        const step = Math.floor(seconds / 30) + apart;
        const accepted = stepOfCode({ secret: own, code: codeAt(own, step), nowMs: seconds * 1_000 });
        // Two of eleven codes may be the same by chance.
        if (Math.abs(apart) <= 1) expect(codeAt(own, accepted ?? -1)).toBe(codeAt(own, step));
        else if (accepted !== undefined) expect(codeAt(own, accepted)).toBe(codeAt(own, step));
        if (Math.abs(apart) > 1 && accepted !== undefined) expect(Math.abs(accepted * 30 - seconds)).toBeLessThan(61);
      }),
    );
  });

  test.each(['', '12345', '1234567', 'abcdef', '12 34', '１２３４５６', '-12345', '1e5000'])('are not %p', (code) => {
    expect(stepOfCode({ secret, code, nowMs: 59_000 })).toBeUndefined();
  });
});

test('the address for an authenticator app says whose it is, also with odd characters', () => {
  const own = newTotpSecret();
  const url = totpUrl({ secret: own, email: "o'neil+a:b@example.com", issuer: 'Acme & Söhne: API' });
  const read = URI.parse(url);
  expect(read.secret.base32).toBe(own);
  expect(read).toMatchObject({
    issuer: 'Acme & Söhne  API',
    label: "o'neil+a:b@example.com",
    algorithm: 'SHA1',
    digits: 6,
  });
});
