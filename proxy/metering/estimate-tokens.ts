/**
 * Token counts where the provider reports none. Used when a client hangs up or a provider is cut off, never to quote;
 * such a charge is marked as estimated, and the estimate errs in the customer's favour.
 */

/** A tokenizer's time grows with the square of an unbroken run of letters, so no run is longer than this. */
const pieceCharacters = 256;
/** What is longer is counted by its length. */
const tokenizedCharactersMax = 64 * 1024;
const charactersPerToken = 6;
const messageOverheadTokens = 3;
/** What looks like a special token is text like any other. Without this the tokenizer throws on `<|endoftext|>`. */
const asText = { disallowedSpecial: new Set<string>() };

/** One piece of streamed output: providers send a token at a time, or several in a longer piece. */
export function estimatePieceTokens(characters: number): number {
  if (characters === 0) return 0;
  return characters <= charactersPerToken * 4 ? 1 : Math.floor(characters / charactersPerToken);
}

/** A prompt of several texts, such as the messages of a chat, and what a chat template adds to each. */
export async function estimatePromptTokens(texts: readonly string[]): Promise<number> {
  return messageOverheadTokens * (texts.length + 1) + (await estimateTextsTokens(texts));
}

/** Several texts without anything around them. */
export async function estimateTextsTokens(texts: readonly string[]): Promise<number> {
  let tokens = 0;
  for (const text of texts) tokens += await estimateTextTokens(text);
  return tokens;
}

export async function estimateTextTokens(text: string): Promise<number> {
  // The tokenizer's tables are large, and most processes never need them.
  const { countTokens } = await import('gpt-tokenizer');
  const counted = text.slice(0, tokenizedCharactersMax);
  let tokens = 0;
  for (let start = 0; start < counted.length; start += pieceCharacters) {
    // Cutting a word in two costs a token more than leaving it whole.
    tokens += countTokens(counted.slice(start, start + pieceCharacters), asText) - (start === 0 ? 0 : 1);
  }
  return tokens + Math.floor((text.length - counted.length) / charactersPerToken);
}
