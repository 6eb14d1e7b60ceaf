/** The calls of an assistant message: arguments as an object, with their thought signature. */
import { invalidParameter, unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import { isObject } from '../../../../shared/members.ts';
import { asRecord, asText, type JsonRecord } from '../../../nouns/json/record.ts';
import type { ChatToolCall } from '../../../nouns/requests/chat-request.ts';

/** Models that refuse a call whose signature is missing. */
const signatureRequired = /gemini-(?:[3-9]|\d{2,})/;
/**
 * Replaces the signature of a call that another model made, or whose signature the client has lost; documented at
 * https://ai.google.dev/gemini-api/docs/thought-signatures. Only the first call of a turn has one.
 */
const unknownSignature = 'skip_thought_signature_validator';

/** `param` is the path of the message. Throws GatewayError. */
export function functionCallParts(
  calls: readonly ChatToolCall[],
  { param, model }: { param: string; model: string },
): JsonRecord[] {
  return calls.map((call, index) => {
    const callParam = `${param}.tool_calls[${index}].function`;
    if (!call.function) {
      throw unsupportedParameter(callParam, "This model only supports calls of type 'function'.");
    }
    const known = asText(asRecord(asRecord(call.extra_content).google).thought_signature);
    const signature = known ?? (index === 0 && signatureRequired.test(model) ? unknownSignature : undefined);
    return {
      functionCall: { name: call.function.name, args: argumentsOf(call.function.arguments, callParam) },
      ...(signature === undefined ? {} : { thoughtSignature: signature }),
    };
  });
}

function argumentsOf(text: string | null | undefined, param: string): JsonRecord {
  if (!text?.trim()) return {};
  const value = parse(text);
  if (isObject(value)) return value;
  throw invalidParameter(`${param}.arguments`, 'a JSON object as a string');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
