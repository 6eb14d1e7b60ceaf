/** Tool call ids for providers that only accept 9 letters and digits, such as Mistral. */
import { createHash } from 'node:crypto';

const idLength = 9;
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const wellFormed = /^[0-9A-Za-z]{9}$/;

/** A valid id is kept; any other always maps to the same id. Two ids collide with a probability of 1 in 62^9. */
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
