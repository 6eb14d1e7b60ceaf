/**
 * Converse's token counts: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html. As with
 * Anthropic, `inputTokens` excludes tokens read from or written to the cache.
 */
import { asRecord } from '../../../json/record.ts';
import { readCount, type Usage } from '../../../metering/usage.ts';
import { noCounts, usageOf } from '../../content-blocks/message-counts.ts';

/** Null if a charged count is missing or absurd, so that the caller estimates. */
export function readConverseUsage(value: unknown): Usage | null {
  const usage = asRecord(value);
  return usageOf({
    ...noCounts,
    input: readCount(usage.inputTokens),
    cacheRead: readCount(usage.cacheReadInputTokens),
    cacheWrite: readCount(usage.cacheWriteInputTokens),
    output: readCount(usage.outputTokens),
  });
}
