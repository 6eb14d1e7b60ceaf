/** What a gateway that keeps nothing between requests cannot do, refused by name before anything is spent. */
import type { GatewayError } from '../../../../shared/errors.ts';
import { invalidParameter, unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import type { ResponsesRequest } from './request-schema.ts';

/** Parameters of chat completions that are said otherwise here. The first ones decide what an answer costs. */
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

const includesOfHostedTools = [
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
];

/** Whatever these ask for is never there to be included: no tool is hosted here, and no input is given out again. */
const emptyIncludes = new Set([...includesOfHostedTools, 'message.input_image.image_url']);

export const includeEncryptedReasoning = 'reasoning.encrypted_content';

/** For a body that was meant for chat completions. Throws GatewayError `unsupported_parameter`. */
export function refuseMoved(body: object): void {
  for (const [name, successor] of Object.entries(movedParameters)) {
    if (Object.hasOwn(body, name))
      throw unsupportedParameter(name, `Unsupported parameter: '${name}'. Use '${successor}'.`);
  }
  if (Object.hasOwn(body, 'n'))
    throw unsupportedParameter('n', "Unsupported parameter: 'n'. A response is one answer.");
}

/** Throws GatewayError `unsupported_parameter` or `invalid_parameter`. */
export function refuseUnsupported(request: ResponsesRequest): void {
  for (const name of ['previous_response_id', 'conversation', 'prompt'] as const) {
    if ((request[name] ?? null) !== null) throw stateless(name, "Send the whole conversation as 'input'.");
  }
  if (request.background === true) throw stateless('background', 'Ask without it, or with stream.');
  for (const name of ['context_management', 'moderation'] as const) {
    if ((request[name] ?? null) !== null)
      throw unsupportedParameter(name, `'${name}' is not supported by this gateway.`);
  }
  if ((request.top_logprobs ?? 0) > 0) {
    throw unsupportedParameter('top_logprobs', 'Log probabilities are given by /v1/chat/completions only.');
  }
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
      throw unsupportedParameter(param, 'Log probabilities are given by /v1/chat/completions only.');
    }
    throw invalidParameter(param, `one of ${[includeEncryptedReasoning, ...emptyIncludes].join(', ')}`);
  }
}
