/**
 * Translates a Responses request to the equivalent chat completion request. Members that the gateway does not know in
 * either API are passed on unchanged, for the provider to check.
 *
 * Not passed on: `metadata`, by which the gateway attributes usage, so the response merely echoes it;
 * `truncation: "auto"`, because a chat completion is never truncated (the response says `disabled`); `max_tool_calls`,
 * which counts hosted tools; `store`, because the gateway stores nothing; `client_metadata`, which only OpenAI takes.
 */
import { withoutNullish } from '../../../../shared/members.ts';
import { type ResponsesRequest, responsesRequestSchema } from '../../../nouns/requests/responses-request.ts';
import { chatFormat } from './read-format.ts';
import { readInput } from './read-input.ts';
import type { Settings } from './settings.ts';
import { chatTools } from './tool-choice.ts';

/** Parameters that mean the same in both interfaces. */
const sameInBoth = [
  ...(['temperature', 'top_p', 'user', 'safety_identifier', 'prompt_cache_key', 'stream', 'service_tier'] as const),
];

/** Throws GatewayError. */
export function chatBody({ request, tools, toolChoice, format, verbosity, reasoning }: Settings): object {
  const offered = chatTools(tools.toolbox, toolChoice);
  return withoutNullish({
    ...unknownMembers(request),
    model: request.model,
    messages: readInput(request, tools.toolbox),
    ...Object.fromEntries(sameInBoth.map((name) => [name, request[name]])),
    max_completion_tokens: request.max_output_tokens,
    ...offered,
    parallel_tool_calls: offered.tools === undefined ? undefined : request.parallel_tool_calls,
    ...chatFormat(format),
    verbosity,
    reasoning_effort: reasoning.effort,
  });
}

function unknownMembers(request: ResponsesRequest): object {
  return Object.fromEntries(
    Object.entries(request).filter(([name]) => !Object.hasOwn(responsesRequestSchema.properties, name)),
  );
}
