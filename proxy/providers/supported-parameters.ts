/**
 * Which parameters of chats and text completions have an effect, whichever deployment serves the model: in OpenRouter's
 * words, for `supported_parameters` of the model list. What a provider of an OpenAI-compatible protocol does with a
 * parameter that is not OpenAI's own is not known here, so those are not promised, except where a quirk names them.
 */
import {
  type Protocol,
  type PublishedProvider,
  servesWebSearches,
} from '../../shared/catalogue/published-catalogue.ts';
import type { Model } from '../pricing/catalogue.ts';

/** In the order in which they are listed. */
export const listedParameters = [
  ...(['temperature', 'top_p', 'max_tokens', 'max_completion_tokens', 'stop', 'seed'] as const),
  ...(['frequency_penalty', 'presence_penalty', 'logit_bias', 'logprobs', 'top_logprobs'] as const),
  ...(['response_format', 'structured_outputs', 'tools', 'tool_choice', 'parallel_tool_calls'] as const),
  ...(['reasoning', 'reasoning_effort', 'web_search_options'] as const),
] as const;
export type ListedParameter = (typeof listedParameters)[number];

type Quirks = PublishedProvider['quirks'];

/** The gateway itself caps the output. */
const caps = ['max_tokens', 'max_completion_tokens'] as const;
const tooling = ['tools', 'tool_choice'] as const;
const formats = ['response_format', 'structured_outputs'] as const;
const reasoning = ['reasoning', 'reasoning_effort'] as const;
const penalties = ['frequency_penalty', 'presence_penalty'] as const;

const ofCompletion: readonly ListedParameter[] = [
  ...(['temperature', 'top_p', 'max_tokens', 'stop', 'seed', 'logit_bias', 'logprobs'] as const),
  ...penalties,
];

const ofChat: Readonly<Record<Protocol, (quirks: Quirks) => readonly ListedParameter[]>> = {
  openai: ({ reasoningParameter }) => [
    ...(['temperature', 'top_p', 'stop', 'seed', 'logit_bias', 'logprobs', 'top_logprobs'] as const),
    ...(['parallel_tool_calls', ...penalties, ...caps, ...formats, ...tooling] as const),
    ...(reasoningParameter === undefined || reasoningParameter === 'none' ? [] : reasoning),
  ],
  // Only `/v1/responses` is served, which has no other names for these.
  'openai-responses': () => ['temperature', 'top_p', 'parallel_tool_calls', 'reasoning', ...tooling],
  anthropic: ({ reasoningControl }) => [
    ...(reasoningControl === 'effort' ? [] : (['temperature', 'top_p'] as const)),
    ...(['stop', 'parallel_tool_calls', ...caps, ...formats, ...tooling, ...reasoning] as const),
  ],
  gemini: () => [
    ...(['temperature', 'top_p', 'stop', 'seed', 'logprobs', 'top_logprobs'] as const),
    ...([...penalties, ...caps, ...formats, ...tooling, ...reasoning] as const),
  ],
  // It serves no chats.
  cohere: () => [],
  bedrock: ({ reasoningControl, reasoningParameter }) => [
    ...(reasoningControl === 'effort' ? [] : (['temperature', 'top_p'] as const)),
    ...(['stop', ...caps, ...formats, ...tooling] as const),
    ...(reasoningParameter === undefined || reasoningParameter === 'reasoning_effort' ? reasoning : []),
  ],
};

/** Empty for a model that generates no text. */
export function supportedParameters({
  kind,
  deployments,
  prices,
}: Pick<Model, 'kind' | 'deployments' | 'prices'>): ListedParameter[] {
  if (kind !== 'chat' && kind !== 'completion') return [];
  const providers = deployments.map(({ provider }) => provider);
  const others = providers.filter(({ protocol }) => protocol !== 'openai-responses');
  const supported = (others.length > 0 ? others : providers).map(({ protocol, quirks }) =>
    withoutRefused(kind === 'chat' ? ofChat[protocol](quirks) : ofCompletion, { protocol, quirks }),
  );
  // A request that searches is only sent to those that can.
  const searches = prices.each?.webSearch !== undefined && others.some(({ protocol }) => servesWebSearches(protocol));
  return listedParameters.filter((name) => {
    if (name === 'web_search_options') return searches;
    return supported.length > 0 && supported.every((each) => each.has(name));
  });
}

/** By the names that requests to the provider have. */
function withoutRefused(
  parameters: readonly ListedParameter[],
  { protocol, quirks }: Pick<PublishedProvider, 'protocol' | 'quirks'>,
): ReadonlySet<ListedParameter> {
  if (protocol !== 'openai' && protocol !== 'openai-responses') return new Set(parameters);
  const refused = new Set([...(quirks.refuseParameters ?? []), ...(quirks.dropParameters ?? [])]);
  const isLost = (name: ListedParameter) =>
    refused.has(name === 'structured_outputs' ? 'response_format' : name) && !caps.some((cap) => cap === name);
  return new Set(parameters.filter((name) => !isLost(name)));
}
