/**
 * Token counts where the provider reports none. Used when a client hangs up or a provider is cut off, never to quote;
 * such a charge is marked as estimated, and the estimate errs in the customer's favour.
 *
 * The work for one request is bounded, whatever its texts: a part of them is given to a tokenizer, the rest is taken to
 * be alike. What is asked again and again, while a request runs, goes by length alone.
 */

/** A tokenizer's time grows with the square of an unbroken run of letters, so no run is longer than this. */
const pieceCharacters = 256;
/** Of all texts of a request; about 5 ms. */
const tokenizedCharactersMax = 16 * 1024;
const charactersPerToken = 6;
/** What is not tokenized counts for no more than this many tokens a character. */
const restTokensPerCharacterMax = 1 / 4;
const messageOverheadTokens = 3;
/** What looks like a special token is text like any other. Without this the tokenizer throws on `<|endoftext|>`. */
const asText = { disallowedSpecial: new Set<string>() };

/** One piece of streamed output: providers send a token at a time, or several in a longer piece. */
export function estimatePieceTokens(characters: number): number {
  if (characters === 0) return 0;
  return characters <= charactersPerToken * 4 ? 1 : Math.floor(characters / charactersPerToken);
}

/** A low estimate that costs nothing. */
export function estimateByLength(texts: readonly string[]): number {
  return Math.floor(lengthOf(texts) / charactersPerToken);
}

/** What a chat template adds to its messages. */
export function templateTokens(messages: number): number {
  return messageOverheadTokens * (messages + 1);
}

/** Never rejects: a charge hangs on it. What a tokenizer cannot count goes by length. */
export function estimateTextTokens(texts: readonly string[]): Promise<number> {
  return countTextTokens(texts).catch(() => estimateByLength(texts));
}

async function countTextTokens(texts: readonly string[]): Promise<number> {
  const countTokens = await loadTokenizer();
  let tokens = 0;
  let counted = 0;
  for (const text of texts) {
    const sample = text.slice(0, tokenizedCharactersMax - counted);
    for (let start = 0; start < sample.length; start += pieceCharacters) {
      // Cutting a word in two costs a token more than leaving it whole.
      tokens += countTokens(sample.slice(start, start + pieceCharacters), asText) - (start === 0 ? 0 : 1);
    }
    counted += sample.length;
    if (counted >= tokenizedCharactersMax) break;
  }
  const rest = lengthOf(texts) - counted;
  return rest === 0 ? tokens : tokens + Math.floor(rest * Math.min(tokens / counted, restTokensPerCharacterMax));
}

/**
 * Its tables take a third of a second and 70 MB to load, so a program that serves loads them as it starts. They are
 * those of GPT-4: newer ones are twice as large, and other vendors' differ from both.
 */
export async function loadTokenizer() {
  const { countTokens } = await import('gpt-tokenizer/encoding/cl100k_base');
  return countTokens;
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}
