/** A whole answer of Converse as a chat completion. */
import { parseExact } from '../../../json/parse-exact.ts';
import { asRecord, asText, isRecord } from '../../../json/record.ts';
import { UpstreamFailure } from '../../../upstream/upstream-failure.ts';
import type { UpstreamBody } from '../../adapter.ts';
import type { ModelBlock } from '../../content-blocks/model-block.ts';
import { type WholeCompletionOptions, wholeCompletion } from '../../content-blocks/whole-completion.ts';
import { readConverseUsage } from './converse-usage.ts';

/** Throws UpstreamFailure where the text is no answer. */
export function readConverseBody(body: string, options: WholeCompletionOptions): UpstreamBody {
  const answer = asRecord(parse(body));
  const { content } = asRecord(asRecord(answer.output).message);
  if (!Array.isArray(content)) throw new UpstreamFailure('malformed', "The provider's response cannot be read.");
  const message = {
    blocks: content.flatMap(blockOf),
    stopReason: asText(answer.stopReason),
    usage: readConverseUsage(answer.usage),
  };
  return wholeCompletion(message, options);
}

/** Blocks that are none of ours, such as a guardrail's, are passed over. */
function blockOf(value: unknown): ModelBlock[] {
  const { text, toolUse, reasoningContent } = asRecord(value);
  if (typeof text === 'string') return [{ type: 'text', text }];
  if (isRecord(toolUse)) {
    return [{ type: 'tool_use', id: asText(toolUse.toolUseId), name: asText(toolUse.name), input: toolUse.input }];
  }
  const { reasoningText, redactedContent } = asRecord(reasoningContent);
  if (isRecord(reasoningText)) {
    return [{ type: 'thinking', thinking: asText(reasoningText.text), signature: asText(reasoningText.signature) }];
  }
  return typeof redactedContent === 'string' ? [{ type: 'redacted_thinking', data: redactedContent }] : [];
}

function parse(json: string): unknown {
  try {
    return parseExact(json);
  } catch (cause) {
    throw new UpstreamFailure('malformed', "The provider's response is not JSON.", { cause });
  }
}
