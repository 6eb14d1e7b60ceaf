/** Translates a whole message to a chat completion. */
import type { UpstreamBody } from '../../adapter.ts';
import { noCounts, usageOf } from '../../content-blocks/message-counts.ts';
import { isRunSearch } from '../../content-blocks/web-searches.ts';
import { type WholeCompletionOptions, wholeCompletion } from '../../content-blocks/whole-completion.ts';
import { readBlock, readMessage } from './provider-message.ts';
import { reviseCounts } from './read-message-usage.ts';

/** Throws UpstreamFailure. */
export function readMessageBody(body: string, options: WholeCompletionOptions): UpstreamBody {
  const { id, content, stop_reason: stopReason, usage } = readMessage(body);
  const blocks = content.map(readBlock).filter((block) => block !== undefined);
  const webSearches = blocks.filter(isRunSearch).length;
  const counts = reviseCounts(noCounts, usage);
  const completion = wholeCompletion({ id, blocks, stopReason, usage: usageOf(counts, webSearches) }, options);
  return { ...completion, webSearches };
}
