/**
 * The secrets of an organization's stored responses, derived from KEY_PEPPER and its account: one that their names are made
 * with, one that they are encrypted with. So a response of another organization is neither found nor readable, and a copy of
 * Redis tells neither what was asked nor what was answered.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const organizationsMax = 10_000;

export class OrganizationKeys {
  readonly #peppers: { readonly keyPeppers: readonly string[] };
  readonly #keys = new Map<string, ResponseKeys>();

  /** The pepper in use is read each time: after a rotation, what was stored before is not found. */
  constructor(peppers: { readonly keyPeppers: readonly string[] }) {
    this.#peppers = peppers;
  }

  of(accountId: number): ResponseKeys {
    const [pepper] = this.#peppers.keyPeppers;
    if (pepper === undefined) throw new Error('KEY_PEPPER was not read');
    const name = `${accountId} ${pepper}`;
    let keys = this.#keys.get(name);
    if (keys === undefined) {
      if (this.#keys.size >= organizationsMax) this.#keys.clear();
      keys = new ResponseKeys(pepper, accountId);
      this.#keys.set(name, keys);
    }
    return keys;
  }
}

export class ResponseKeys {
  readonly #digestKey: Buffer;
  readonly #sealKey: Buffer;

  constructor(pepper: string, accountId: number) {
    const derived = Buffer.from(
      hkdfSync('sha256', pepper, '', `stored responses of account ${accountId}`, 2 * keyBytes),
    );
    this.#digestKey = derived.subarray(0, keyBytes);
    this.#sealKey = derived.subarray(keyBytes);
  }

  digest(text: string): Buffer {
    return createHmac('sha256', this.#digestKey).update(text).digest();
  }

  /** `name` is authenticated with it: under another one it cannot be opened. */
  seal(name: string, content: Uint8Array): Buffer {
    const nonce = randomBytes(nonceBytes);
    const sealing = createCipheriv(cipher, this.#sealKey, nonce, { authTagLength: tagBytes });
    sealing.setAAD(Buffer.from(name));
    return Buffer.concat([nonce, sealing.update(content), sealing.final(), sealing.getAuthTag()]);
  }

  /** Throws Error if it was not sealed with this key and under this name. */
  open(name: string, sealed: Buffer): Buffer {
    const opening = createDecipheriv(cipher, this.#sealKey, sealed.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    opening.setAAD(Buffer.from(name));
    opening.setAuthTag(sealed.subarray(-tagBytes));
    return Buffer.concat([opening.update(sealed.subarray(nonceBytes, -tagBytes)), opening.final()]);
  }
}
