/** Anthropic's token counts. In a stream, the first event has them, and later ones may revise them. */
import { asRecord } from '../../../nouns/json/record.ts';
import { readCount } from '../../../nouns/usage.ts';
import type { MessageCounts } from '../../content-blocks/message-counts.ts';

/** Later counts replace earlier ones. Missing or absurd counts leave the earlier value. */
export function reviseCounts(earlier: MessageCounts, usage: unknown): MessageCounts {
  const later = asRecord(usage);
  return {
    input: readCount(later.input_tokens) ?? earlier.input,
    cacheWrite: readCacheWrite(later) ?? earlier.cacheWrite,
    cacheWrite1h: readCount(asRecord(later.cache_creation).ephemeral_1h_input_tokens) ?? earlier.cacheWrite1h,
    cacheRead: readCount(later.cache_read_input_tokens) ?? earlier.cacheRead,
    output: readCount(later.output_tokens) ?? earlier.output,
    thinking: readCount(asRecord(later.output_tokens_details).thinking_tokens) ?? earlier.thinking,
    webSearches: readCount(asRecord(later.server_tool_use).web_search_requests) ?? earlier.webSearches,
  };
}

/** The total, or else the sum of its parts by lifetime. */
function readCacheWrite(usage: Readonly<Record<string, unknown>>): number | undefined {
  const total = readCount(usage.cache_creation_input_tokens);
  if (total !== undefined) return total;
  const parts = asRecord(usage.cache_creation);
  const short = readCount(parts.ephemeral_5m_input_tokens);
  const long = readCount(parts.ephemeral_1h_input_tokens);
  return short === undefined && long === undefined ? undefined : (short ?? 0) + (long ?? 0);
}
