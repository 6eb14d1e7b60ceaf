/** Refuses, by name and before anything is spent, what a gateway that stores nothing between requests cannot do. */
import type { GatewayError } from '../../../../shared/errors.ts';
import { invalidParameter, unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import type { ResponsesRequest } from '../../../nouns/requests/responses-request.ts';

/** Parameters of chat completions that have another name here. The first ones determine the cost. */
export const movedParameters: Readonly<Record<string, string>> = {
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  messages: 'input',
  functions: 'tools',
  function_call: 'tool_choice',
  response_format: 'text.format',
  verbosity: 'text.verbosity',
  reasoning_effort: 'reasoning.effort',
};

const hostedToolIncludes = [
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
];

/** Accepted, and passed on to a provider with a Responses API of its own: others run no such tools, or show nothing of them. */
const emptyIncludes = new Set([...hostedToolIncludes, 'message.input_image.image_url']);

export const includeEncryptedReasoning = 'reasoning.encrypted_content';

const noLogprobs = 'Log probabilities are only available from /v1/chat/completions.';

/** Refuses a body meant for chat completions. Throws GatewayError `unsupported_parameter`. */
export function refuseMoved(body: object): void {
  for (const [name, successor] of Object.entries(movedParameters)) {
    if (Object.hasOwn(body, name))
      throw unsupportedParameter(name, `Unsupported parameter: '${name}'. Use '${successor}'.`);
  }
  if (Object.hasOwn(body, 'n'))
    throw unsupportedParameter(
      'n',
      "Unsupported parameter: 'n'. The Responses API generates one response per request.",
    );
}

/** Throws GatewayError `unsupported_parameter` or `invalid_parameter`. */
export function refuseUnsupported(request: ResponsesRequest): void {
  for (const name of ['previous_response_id', 'conversation', 'prompt'] as const) {
    if ((request[name] ?? null) !== null) throw stateless(name, "Send the whole conversation as 'input'.");
  }
  if (request.background === true) throw stateless('background', "Leave it out, or use 'stream'.");
  for (const name of ['context_management', 'moderation'] as const) {
    if ((request[name] ?? null) !== null)
      throw unsupportedParameter(name, `'${name}' is not supported by this gateway.`);
  }
  if ((request.top_logprobs ?? 0) > 0) throw unsupportedParameter('top_logprobs', noLogprobs);
  checkInclude(request.include ?? []);
}

function stateless(param: string, advice: string): GatewayError {
  return unsupportedParameter(
    param,
    `'${param}' is not supported: the gateway is stateless and stores no responses. ${advice}`,
  );
}

function checkInclude(include: readonly string[]): void {
  for (const [index, name] of include.entries()) {
    const param = `include[${index}]`;
    if (name === includeEncryptedReasoning || emptyIncludes.has(name)) continue;
    if (name === 'message.output_text.logprobs') {
      throw unsupportedParameter(param, noLogprobs);
    }
    throw invalidParameter(param, `one of ${[includeEncryptedReasoning, ...emptyIncludes].join(', ')}`);
  }
}
