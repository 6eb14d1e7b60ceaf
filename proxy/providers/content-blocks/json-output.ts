/**
 * How JSON output is requested. A schema becomes a tool that the model has to call and whose input is the response, or
 * native structured output if the provider's quirk says so. JSON without a schema is requested by an instruction.
 */
import { unsupportedParameter } from '../../../shared/http/parameter-errors.ts';
import type { ChatRequest } from '../../nouns/requests/chat-request.ts';

export const jsonInstruction =
  'Answer with a single JSON object and nothing else: no text around it and no code fence.';

/** The schema that the response must match. */
export function responseSchemaOf(body: ChatRequest): Readonly<Record<string, unknown>> | undefined {
  if (body.response_format?.type !== 'json_schema') return undefined;
  return body.response_format.json_schema?.schema ?? undefined;
}

/** Whether JSON without a schema is requested. Throws GatewayError for unknown formats. */
export function wantsAnyJson(body: ChatRequest): boolean {
  switch (body.response_format?.type ?? 'text') {
    case 'text':
      return false;
    case 'json_object':
      return true;
    case 'json_schema':
      return responseSchemaOf(body) === undefined;
    default:
      throw unsupportedParameter('response_format.type');
  }
}

/** A name that none of the client's tools has. Undefined if there is no schema. */
export function jsonToolNameOf(body: ChatRequest): string | undefined {
  if (responseSchemaOf(body) === undefined) return undefined;
  const taken = new Set((body.tools ?? []).map((tool) => tool.function?.name));
  let name = 'json';
  while (taken.has(name)) name += '_';
  return name;
}

export const jsonToolDescription = 'Gives the final answer. The input of this call is the answer itself.';
