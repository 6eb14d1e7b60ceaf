/** Codes of authenticator apps (RFC 6238): six digits, SHA-1, a new one every 30 seconds, as every app can make them. */
import { Secret, TOTP } from 'otpauth';

const periodSeconds = 30;
const secretBytes = 20;
/** Clocks of phones differ, and people type slowly: the code before and the one after are accepted too. */
const windowSteps = 1;

/** In base32. */
export function newTotpSecret(): string {
  return new Secret({ size: secretBytes }).base32;
}

/** What a QR code for an authenticator app says. */
export function totpUrl({ secret, email, issuer }: { secret: string; email: string; issuer: string }): string {
  // A colon separates the two in the address.
  return totpOf(secret, { label: email, issuer: issuer.replaceAll(':', ' ') }).toString();
}

/** The time step of a code; undefined if it is not one of this time. */
export function stepOfCode({ secret, code, nowMs }: { secret: string; code: string; nowMs: number }) {
  const delta = totpOf(secret).validate({ token: code, timestamp: nowMs, window: windowSteps });
  return delta === null ? undefined : Math.floor(nowMs / 1_000 / periodSeconds) + delta;
}

const totpOf = (secret: string, names: { label?: string; issuer?: string } = {}) =>
  new TOTP({ ...names, secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: periodSeconds });
