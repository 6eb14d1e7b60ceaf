/** Tool call ids for providers that take nothing but 9 letters and digits, as Mistral's API does. */
import { createHash } from 'node:crypto';

const idLength = 9;
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const wellFormed = /^[0-9A-Za-z]{9}$/;

/** An id of that form stays; any other always becomes the same one. Two of them meet once in 62^9. */
export function alphanumericId(id: string): string {
  if (wellFormed.test(id)) return id;
  let number = createHash('sha256').update(id).digest().readBigUInt64BE();
  let text = '';
  for (let place = 0; place < idLength; place += 1) {
    text += alphabet.charAt(Number(number % BigInt(alphabet.length)));
    number /= BigInt(alphabet.length);
  }
  return text;
}
