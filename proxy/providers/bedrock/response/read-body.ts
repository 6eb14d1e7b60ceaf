/** Translates a whole Converse response to a chat completion. */
import { isObject } from '../../../../shared/members.ts';
import { parseExact } from '../../../nouns/json/parse-exact.ts';
import { asRecord, asText } from '../../../nouns/json/record.ts';
import { UpstreamFailure } from '../../../nouns/upstream-failure.ts';
import { readCount, type Usage } from '../../../nouns/usage.ts';
import type { UpstreamBody } from '../../adapter.ts';
import { noCounts, usageOf } from '../../content-blocks/message-counts.ts';
import type { ModelBlock } from '../../content-blocks/model-block.ts';
import { type WholeCompletionOptions, wholeCompletion } from '../../content-blocks/whole-completion.ts';

/** Throws UpstreamFailure if the text is not a Converse response. */
export function readConverseBody(body: string, options: WholeCompletionOptions): UpstreamBody {
  const response = asRecord(parse(body));
  const { content } = asRecord(asRecord(response.output).message);
  if (!Array.isArray(content)) throw new UpstreamFailure('malformed', 'The provider returned an unreadable response.');
  const message = {
    blocks: content.flatMap(blockOf),
    stopReason: asText(response.stopReason),
    usage: readConverseUsage(response.usage),
  };
  return wholeCompletion(message, options);
}

/** Ignores blocks of other types, such as a guardrail's. */
function blockOf(value: unknown): ModelBlock[] {
  const { text, toolUse, reasoningContent } = asRecord(value);
  if (typeof text === 'string') return [{ type: 'text', text }];
  if (isObject(toolUse)) {
    return [{ type: 'tool_use', id: asText(toolUse.toolUseId), name: asText(toolUse.name), input: toolUse.input }];
  }
  const { reasoningText, redactedContent } = asRecord(reasoningContent);
  if (isObject(reasoningText)) {
    return [{ type: 'thinking', thinking: asText(reasoningText.text), signature: asText(reasoningText.signature) }];
  }
  return typeof redactedContent === 'string' ? [{ type: 'redacted_thinking', data: redactedContent }] : [];
}

function parse(json: string): unknown {
  try {
    return parseExact(json);
  } catch (cause) {
    throw new UpstreamFailure('malformed', 'The provider returned a response that is not JSON.', { cause });
  }
}

/**
 * Converse's token counts: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html. As with
 * Anthropic, `inputTokens` excludes tokens read from or written to the cache. Null if a charged count is missing or
 * absurd, so that the caller estimates.
 */
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
