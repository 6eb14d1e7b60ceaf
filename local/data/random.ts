/** Random secrets and readable passwords, from the operating system's generator. */
import { randomBytes, randomInt } from 'node:crypto';

const syllables = 'ba be bi bo bu da de di do du fa fe fi fo ga ge gi go ka ke ki ko ku la le li lo lu ma me mi mo mu'
  .concat(' na ne ni no nu pa pe pi po ra re ri ro ru sa se si so su ta te ti to tu va ve vi vo za ze zi zo zu')
  .split(' ');
const wordsInPassword = 4;
const syllablesInWord = 3;

/** At least 128 bits, in characters that need no quoting in URLs, shells or configuration files. */
export function randomSecret(bytes = 24): string {
  return randomBytes(bytes).toString('hex');
}

/** Pronounceable words and a number, to be typed from a screen: `kamilo-bitaru-posade-nurefi-42`, about 76 bits. */
export function readablePassword(): string {
  const words = Array.from({ length: wordsInPassword }, randomWord);
  return `${words.join('-')}-${randomInt(10, 100)}`;
}

export function randomWord(): string {
  return Array.from({ length: syllablesInWord }, () => syllables[randomInt(syllables.length)]).join('');
}
