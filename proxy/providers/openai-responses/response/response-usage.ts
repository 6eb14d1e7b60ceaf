/** What a response of the provider reports as used, and what its items say. */
import { asArray, asRecord, type JsonRecord } from '../../../nouns/json/record.ts';
import { readUsage, type Usage, withTier } from '../../../nouns/usage.ts';

/**
 * Null if it is missing or absurd. The names differ from those of chat completions, the meaning does not. Searches of the web are
 * not counted in it, but each is an item of the output.
 */
export function readResponseUsage(response: JsonRecord): Usage | null {
  const usage = asRecord(response.usage);
  const read = readUsage({
    prompt_tokens: usage.input_tokens,
    completion_tokens: usage.output_tokens,
    total_tokens: usage.total_tokens,
    prompt_tokens_details: usage.input_tokens_details,
    completion_tokens_details: usage.output_tokens_details,
  });
  const webSearches = asArray(response.output).filter(isWebSearch).length;
  return withTier(read && (webSearches > 0 ? { ...read, webSearches } : read), response.service_tier);
}

/** Whether an item that is complete is a search. Opening a page that it has found costs its tokens alone. */
export function isWebSearch(item: unknown): boolean {
  const { type, status, action } = asRecord(item);
  if (type !== 'web_search_call' || status === 'failed') return false;
  return (asRecord(action).type ?? 'search') === 'search';
}

/** The generated texts of an item, for an estimate. */
export function textsOfItem(item: unknown): string[] {
  const { name, arguments: input, input: text, content, summary } = asRecord(item);
  const parts = [...asArray(summary), ...asArray(content)].map(asRecord);
  const texts = [name, input, text, ...parts.map((part) => part.text ?? part.refusal)];
  return texts.filter((candidate) => typeof candidate === 'string');
}
