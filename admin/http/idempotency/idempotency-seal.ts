/**
 * What is stored about a request that may be repeated. Its response may contain a secret, such as a new API key, so the
 * tables alone must not reveal it: it is encrypted under a key derived from KEY_PEPPER and the client's
 * Idempotency-Key, which is stored only as an HMAC.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { isObject } from '../../../shared/members.ts';

export interface IdempotencyScope {
  /** The client's account. */
  readonly accountId: number;
  /** Method and path, including ids: `POST /api/keys`. */
  readonly endpoint: string;
  /** The Idempotency-Key. */
  readonly key: string;
}

const cipher = 'aes-256-gcm';
const keyBytes = 32;
const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;

/** The lookup key of a response. */
export function hashScope(pepper: string, scope: IdempotencyScope): string {
  return hmac(pepper, `idempotency-key\n${describeScope(scope)}`);
}

/** Bodies are equal if their content is: whitespace and the order of fields do not matter. */
export function hashBody(pepper: string, scope: IdempotencyScope, body: unknown): string {
  return hmac(pepper, `idempotency-body\n${describeScope(scope)}\n${canonicalJson(body)}`);
}

/** Salt, nonce, ciphertext, tag. */
export function sealResponse(pepper: string, scope: IdempotencyScope, response: string): Buffer {
  const salt = randomBytes(saltBytes);
  const nonce = randomBytes(nonceBytes);
  const encryption = createCipheriv(cipher, deriveKey(pepper, scope, salt), nonce, { authTagLength: tagBytes });
  const ciphertext = [encryption.update(response, 'utf8'), encryption.final()];
  return Buffer.concat([salt, nonce, ...ciphertext, encryption.getAuthTag()]);
}

/** Throws if it was sealed under another scope or pepper, or was modified. */
export function openResponse(pepper: string, scope: IdempotencyScope, sealed: Buffer): string {
  const salt = sealed.subarray(0, saltBytes);
  const nonce = sealed.subarray(saltBytes, saltBytes + nonceBytes);
  const decryption = createDecipheriv(cipher, deriveKey(pepper, scope, salt), nonce, { authTagLength: tagBytes });
  decryption.setAuthTag(sealed.subarray(-tagBytes));
  const ciphertext = sealed.subarray(saltBytes + nonceBytes, -tagBytes);
  return decryption.update(ciphertext, undefined, 'utf8') + decryption.final('utf8');
}

/** HKDF (RFC 5869). Each response has its own salt, so that no two share a key. */
function deriveKey(pepper: string, scope: IdempotencyScope, salt: Buffer): Buffer {
  const material = `${pepper}\n${scope.key}`;
  return Buffer.from(hkdfSync('sha256', material, salt, `idempotent answer\n${describeScope(scope)}`, keyBytes));
}

/** Unambiguous, because no part contains a line break. */
function describeScope({ accountId, endpoint, key }: IdempotencyScope): string {
  return `${accountId}\n${endpoint}\n${key}`;
}

function hmac(pepper: string, text: string): string {
  return createHmac('sha256', pepper).update(text).digest('hex');
}

/** Without whitespace, the fields of every object sorted. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (isObject(part) ? inOrder(part) : part));
}

/** Without a prototype, so that `__proto__` is an ordinary field. */
function inOrder(object: object): object {
  const sorted: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1))) sorted[name] = value;
  return sorted;
}
