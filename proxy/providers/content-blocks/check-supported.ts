/** Refuses OpenAI parameters that Anthropic's Messages and Bedrock's Converse do not have, unless at their default. */
import { unsupportedParameter } from '../../../shared/http/parameter-errors.ts';
import type { ChatRequest } from '../../nouns/requests/chat-request.ts';

const unsupported: Readonly<Record<string, (body: ChatRequest) => boolean>> = {
  n: ({ n }) => (n ?? 1) !== 1,
  logprobs: ({ logprobs }) => logprobs === true,
  top_logprobs: ({ top_logprobs }) => (top_logprobs ?? 0) !== 0,
  frequency_penalty: ({ frequency_penalty }) => (frequency_penalty ?? 0) !== 0,
  presence_penalty: ({ presence_penalty }) => (presence_penalty ?? 0) !== 0,
  logit_bias: ({ logit_bias }) => Object.keys(logit_bias ?? {}).length > 0,
  functions: (body) => isGiven(body, 'functions'),
};

/** Throws GatewayError `unsupported_parameter`. */
export function checkSupported(body: ChatRequest): void {
  for (const [param, isUsed] of Object.entries(unsupported)) {
    if (isUsed(body)) throw unsupportedParameter(param);
  }
}

function isGiven(body: Readonly<Record<string, unknown>>, name: string): boolean {
  return (body[name] ?? null) !== null;
}
