/**
 * The top-level parameters that are sent to an OpenAI-compatible provider. Providers bill for parameters of their own
 * and add new ones, so only those that are known to be free are passed on, and those that the catalogue allows for the
 * provider. Those that are known to be billed have been refused before (`unpriced-parameters.ts`). All others are
 * refused here instead of dropped, because otherwise the client would not get what it requested.
 */
import type { ModelKind } from '../../../../shared/catalogue/model-kinds.ts';
import type { Quirks } from '../../../../shared/catalogue/published-catalogue.ts';
import type { GatewayError } from '../../../../shared/errors.ts';
import { unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import type { JsonPatch } from '../../../nouns/json/patch-object.ts';
import type { JsonRecord } from '../../../nouns/json/record.ts';
import { isRoutingParameter } from '../../../nouns/requests/routing.ts';
import { hasNoEffect } from '../../../nouns/requests/unpriced-parameters.ts';

/** OpenAI's, then those of vLLM and the providers of `local/providers.md`. */
const generationParameters = [
  ...['model', 'temperature', 'top_p', 'frequency_penalty', 'presence_penalty', 'stop', 'n', 'seed', 'stream', 'user'],
  ...['stream_options', 'max_tokens', 'logprobs', 'logit_bias', 'service_tier', 'metadata', 'store'],
  ...['prompt_cache_key', 'prompt_cache_retention', 'safety_identifier'],
  ...['top_k', 'top_a', 'min_p', 'typical_p', 'repetition_penalty', 'length_penalty', 'min_tokens', 'ignore_eos'],
  ...['stop_token_ids', 'include_stop_str_in_output', 'skip_special_tokens', 'spaces_between_special_tokens'],
  ...['echo', 'add_special_tokens', 'truncate_prompt_tokens', 'return_tokens_as_token_ids', 'random_seed'],
  ...['guided_json', 'guided_regex', 'guided_choice', 'guided_grammar', 'guided_decoding_backend'],
  ...['guided_whitespace_pattern', 'structured_outputs', 'response_format', 'session_id', 'request_id'],
];

/** A form of audio has only the fields that its endpoint knows. */
export type JsonKind = Exclude<ModelKind, 'transcription'>;

const knownOfKind: Readonly<Record<JsonKind, ReadonlySet<string>>> = {
  chat: new Set([
    ...generationParameters,
    ...['messages', 'max_completion_tokens', 'top_logprobs', 'tools', 'tool_choice', 'parallel_tool_calls'],
    ...['functions', 'function_call', 'reasoning_effort', 'reasoning', 'verbosity', 'modalities', 'audio'],
    ...['add_generation_prompt', 'continue_final_message', 'chat_template_kwargs', 'documents', 'thinking'],
    ...['enable_thinking', 'thinking_budget', 'include_reasoning', 'reasoning_format', 'reasoning_split'],
    ...['prompt_mode', 'safe_prompt', 'disable_tool_validation', 'citation_options', 'transforms', 'usage'],
    ...['profanity_check', 'update_interval'],
  ]),
  completion: new Set([...generationParameters, 'prompt', 'suffix', 'best_of']),
  embedding: new Set([
    ...['model', 'input', 'encoding_format', 'dimensions', 'user', 'stream', 'metadata'],
    ...['input_type', 'truncate', 'truncation', 'truncate_prompt_tokens', 'output_dtype', 'output_dimension'],
    ...['normalized', 'task', 'instruction'],
  ]),
  image: new Set([
    ...['model', 'prompt', 'n', 'size', 'quality', 'response_format', 'style', 'background', 'output_format'],
    ...['output_compression', 'moderation', 'user', 'stream', 'partial_images'],
  ]),
  moderation: new Set(['model', 'input', 'user']),
  rerank: new Set(['model', 'query', 'documents', 'top_n', 'return_documents']),
  speech: new Set(['model', 'input', 'voice', 'instructions', 'response_format', 'speed', 'stream_format', 'user']),
};

/** Removes parameters without effect, and the gateway's own. Undefined if all may stay. Throws GatewayError `unsupported_parameter`. */
export function unknownPatch(kind: JsonKind, body: JsonRecord, quirks: Quirks): JsonPatch | undefined {
  return removedBy(body, { known: knownOfKind[kind], quirks });
}

/** The same with another list of known parameters. */
export function removedBy(
  body: JsonRecord,
  { known, quirks }: { known: ReadonlySet<string>; quirks: Quirks },
): JsonPatch | undefined {
  const removed: [name: string, value: undefined][] = [];
  for (const name in body) {
    if (known.has(name)) continue;
    if (!isRoutingParameter(name) && quirks.allowParameters?.includes(name)) continue;
    if (!isOwnParameter(name)) {
      if (name === 'cache_control' && quirks.cacheControl === 'pass') continue;
      if (name !== 'cache_control' && !hasNoEffect(name, body[name])) throw unknown(name);
    }
    removed.push([name, undefined]);
  }
  // `__proto__` becomes a member like any other.
  return removed.length === 0 ? undefined : Object.fromEntries(removed);
}

/** Routes or attributes the request: no provider needs it. Where `metadata` is known, it is passed on all the same. */
export function isOwnParameter(name: string): boolean {
  return isRoutingParameter(name) || name === 'metadata';
}

function unknown(name: string): GatewayError {
  const param = shortened(name);
  const message = `'${param}' is not supported: the gateway does not know whether the provider bills for it.`;
  return unsupportedParameter(param, message);
}

/** A name may be as long as the body. */
function shortened(name: string): string {
  return name.length > 64 ? `${name.slice(0, 64)}…` : name;
}
