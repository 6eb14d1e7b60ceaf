/**
 * Secrets that have to be read again are stored encrypted: AES-256-GCM with a key derived from KEY_PEPPER, so that a copy of the
 * database alone does not tell them. What a secret is for is authenticated with it: moved to another row, it cannot be opened.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { pepperMark } from '../../shared/keys/api-key.ts';

interface Seal {
  /** The first one seals, any of them opens. */
  readonly keyPeppers: readonly string[];
}

const cipher = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** `purpose` names the one row that it is for: `totp of user 5`. Returns `<mark of the pepper>.<base64url>`. */
export function sealSecret({ keyPeppers: [pepper] }: Seal, purpose: string, text: string): string {
  if (pepper === undefined) throw new Error('KEY_PEPPER was not read');
  const iv = randomBytes(ivBytes);
  const sealing = createCipheriv(cipher, keyOf(pepper), iv, { authTagLength: tagBytes });
  sealing.setAAD(Buffer.from(purpose));
  const sealed = Buffer.concat([iv, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()]);
  return `${pepperMark(pepper)}.${sealed.toString('base64url')}`;
}

/** `isFormer` if it should be sealed again, with the pepper in use. Throws Error if its pepper was removed, or it was changed. */
export function openSecret({ keyPeppers }: Seal, purpose: string, sealed: string): { text: string; isFormer: boolean } {
  const [mark, body = ''] = sealed.split('.');
  const place = keyPeppers.findIndex((each) => pepperMark(each) === mark);
  const pepper = keyPeppers[place];
  if (pepper === undefined) throw new Error(`the ${purpose} is sealed with a KEY_PEPPER that was removed`);
  const bytes = Buffer.from(body, 'base64url');
  const opening = createDecipheriv(cipher, keyOf(pepper), bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
  opening.setAAD(Buffer.from(purpose));
  opening.setAuthTag(bytes.subarray(-tagBytes));
  const text = Buffer.concat([opening.update(bytes.subarray(ivBytes, -tagBytes)), opening.final()]).toString('utf8');
  return { text, isFormer: place > 0 };
}

const keyOf = (pepper: string) => Buffer.from(hkdfSync('sha256', pepper, '', 'secrets of people', 32));
