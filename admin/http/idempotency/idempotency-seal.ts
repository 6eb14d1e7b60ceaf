/**
 * What is stored of a request that may be repeated. Its answer may hold a secret, such as a new API key, so the tables
 * alone must not give it away: it is encrypted under a key that is derived from KEY_PEPPER and the caller's
 * Idempotency-Key, and of the latter only an HMAC is stored.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { canonicalJson } from './canonical-json.ts';

export interface IdempotencyScope {
  /** The account of whoever asks. */
  readonly accountId: number;
  /** Method and path, with the ids that are in it: `POST /api/keys`. */
  readonly endpoint: string;
  /** The Idempotency-Key. */
  readonly key: string;
}

const cipher = 'aes-256-gcm';
const keyBytes = 32;
const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;

/** What an answer is found by. */
export function hashScope(pepper: string, scope: IdempotencyScope): string {
  return hmac(pepper, `idempotency-key\n${describeScope(scope)}`);
}

/** Bodies are the same when they say the same: blanks and the order of fields do not count. */
export function hashBody(pepper: string, scope: IdempotencyScope, body: unknown): string {
  return hmac(pepper, `idempotency-body\n${describeScope(scope)}\n${canonicalJson(body)}`);
}

/** Salt, nonce, ciphertext, tag. */
export function sealAnswer(pepper: string, scope: IdempotencyScope, answer: string): Buffer {
  const salt = randomBytes(saltBytes);
  const nonce = randomBytes(nonceBytes);
  const encryption = createCipheriv(cipher, deriveKey(pepper, scope, salt), nonce, { authTagLength: tagBytes });
  const ciphertext = [encryption.update(answer, 'utf8'), encryption.final()];
  return Buffer.concat([salt, nonce, ...ciphertext, encryption.getAuthTag()]);
}

/** Throws where it was sealed under another scope or pepper, or was changed. */
export function openAnswer(pepper: string, scope: IdempotencyScope, sealed: Buffer): string {
  const salt = sealed.subarray(0, saltBytes);
  const nonce = sealed.subarray(saltBytes, saltBytes + nonceBytes);
  const decryption = createDecipheriv(cipher, deriveKey(pepper, scope, salt), nonce, { authTagLength: tagBytes });
  decryption.setAuthTag(sealed.subarray(-tagBytes));
  const ciphertext = sealed.subarray(saltBytes + nonceBytes, -tagBytes);
  return decryption.update(ciphertext, undefined, 'utf8') + decryption.final('utf8');
}

/** HKDF (RFC 5869). The salt is of this answer alone, so that no two are under one key. */
function deriveKey(pepper: string, scope: IdempotencyScope, salt: Buffer): Buffer {
  const material = `${pepper}\n${scope.key}`;
  return Buffer.from(hkdfSync('sha256', material, salt, `idempotent answer\n${describeScope(scope)}`, keyBytes));
}

/** Unambiguous: no part but the last may hold a line break, and that one is printable ASCII. */
function describeScope({ accountId, endpoint, key }: IdempotencyScope): string {
  return `${accountId}\n${endpoint}\n${key}`;
}

function hmac(pepper: string, text: string): string {
  return createHmac('sha256', pepper).update(text).digest('hex');
}
