/** Reads the tool calls of a request, and the ids of the calls that results belong to. */
import { invalidParameter, missingParameter, unsupportedParameter } from '../../../shared/http/parameter-errors.ts';
import { parseExact } from '../../nouns/json/parse-exact.ts';
import type { ChatMessage, ChatToolCall } from '../../nouns/requests/chat-request.ts';
import { toolUseId } from './ids.ts';

export interface ReadToolCall {
  readonly id: string;
  readonly name: string;
  /** A JSON object. */
  readonly input: unknown;
}

/** Throws GatewayError that names the parameter at fault. */
export function readToolCall(call: ChatToolCall, param: string): ReadToolCall {
  if (!call.function) throw unsupportedParameter(`${param}.type`, "This model only supports calls of type 'function'.");
  if (!call.id) throw missingParameter(`${param}.id`);
  const { name, arguments: text } = call.function;
  return { id: toolUseId(call.id), name, input: parseArguments(text ?? '', `${param}.function.arguments`) };
}

/** The id of the call that a `tool` message answers. Throws GatewayError if there is none. */
export function toolCallIdOf({ tool_call_id: id }: ChatMessage, param: string): string {
  if (!id) throw missingParameter(`${param}.tool_call_id`);
  return toolUseId(id);
}

function parseArguments(text: string, param: string): unknown {
  if (text.trim() === '') return {};
  const value = parse(text);
  if (typeof value !== 'object' || value === null || !text.trimStart().startsWith('{')) {
    throw invalidParameter(param, 'a JSON object as a string');
  }
  return value;
}

function parse(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
