/** What a tokenizer has read of a word, and the contractions that end one. */

/** What the bytes are whose tokens are not counted yet. */
export const nothing = 0;
/** One symbol: a word of its own, unless letters follow. */
export const oneSymbol = 1;
export const symbols = 2;
/** Line breaks and slashes after symbols. */
export const symbolsEnd = 3;
/** Letters that may all be the capitals at the beginning of a word. */
export const capitals = 4;
export const letters = 5;
/** Letters and an apostrophe. */
export const apostrophe = 6;
/** Letters, an apostrophe, and the first letter of 'll, 've or 're. */
export const halfContraction = 7;
export const wholeContraction = 8;
export const digits = 9;
export const space = 10;

export const ownContractions: ReadonlySet<number> = codesOf('sSdDmMtT');
export const halfContractions: ReadonlySet<number> = codesOf('lLvVrR');

function codesOf(letters: string): ReadonlySet<number> {
  return new Set([...letters].map((letter) => letter.charCodeAt(0)));
}
