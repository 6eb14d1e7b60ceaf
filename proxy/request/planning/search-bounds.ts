/**
 * The most that a request can use whose provider may search the web: after each search, the model reads all of its prompt again, what
 * the searches have found, and what it has said until then.
 */
import type { WebSearch } from '../../nouns/requests/web-search.ts';
import { noUsage, type Usage } from '../../nouns/usage.ts';
import type { Model } from '../../pricing/catalogue.ts';

/** More than one search is known to add to a prompt. */
const searchTokensMax = 16_384;

interface SearchBounds {
  /** Of all readings. */
  readonly promptTokensMax: number;
  /** Of the longest one. */
  readonly longestPrompt: number;
  readonly wanted: Usage;
  /** How often it reads again what it has said. */
  readonly rereads: number;
}

/** `promptTokensMax` is that of one reading without searches. */
export function boundsOfSearches(
  { contextTokens }: Pick<Model, 'contextTokens'>,
  { promptTokensMax }: { readonly promptTokensMax: number },
  { usesMax }: WebSearch,
): SearchBounds {
  const readings = usesMax + 1;
  const found = (searchTokensMax * usesMax * readings) / 2;
  return {
    promptTokensMax: Math.min(promptTokensMax * readings + found, contextTokens * readings),
    longestPrompt: Math.min(promptTokensMax + searchTokensMax * usesMax, contextTokens),
    wanted: { ...noUsage, webSearches: usesMax },
    rereads: usesMax,
  };
}
