/** Why a choice ended, in OpenAI's terms. */
import type { FinishReason } from '../../../nouns/chat-completion.ts';
import { UpstreamFailure } from '../../../nouns/upstream-failure.ts';

/** The reasons that providers report, in lower case. Unknown ones that are not failures count as `stop`. */
const known: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
  function_call: 'function_call',
  model_length: 'length',
  max_tokens: 'length',
  max_length: 'length',
  max_output_tokens: 'length',
  length_limit: 'length',
  token_limit: 'length',
  truncated: 'length',
  model_context_window_exceeded: 'length',
  tool_call: 'tool_calls',
  tool_use: 'tool_calls',
  safety: 'content_filter',
  recitation: 'content_filter',
  prohibited_content: 'content_filter',
  blocklist: 'content_filter',
  blacklist: 'content_filter',
  sensitive: 'content_filter',
  refusal: 'content_filter',
  content_filtered: 'content_filter',
};

/** The provider failed in the middle of a response. */
const failures: ReadonlySet<string> = new Set([
  'error',
  'abort',
  'aborted',
  'network_error',
  'insufficient_system_resource',
]);

/** Null until the choice ends. Throws UpstreamFailure if it failed. */
export function readFinishReason(value: unknown): FinishReason | null {
  if (typeof value !== 'string' || value === '' || value === 'null') return null;
  const word = value.toLowerCase();
  if (failures.has(word))
    throw new UpstreamFailure('cut', `The provider ended its response early (${word.slice(0, 40)}).`);
  return Object.hasOwn(known, word) ? (known[word] ?? 'stop') : 'stop';
}

/** Text completions have fewer reasons. */
export function readTextFinishReason(value: unknown): 'stop' | 'length' | 'content_filter' | null {
  const reason = readFinishReason(value);
  return reason === 'tool_calls' || reason === 'function_call' ? 'stop' : reason;
}
