/** The calls that an assistant made, as it made them: arguments as an object, with the signature of the thought. */

import { GatewayError } from '../../../../shared/errors.ts';
import { asRecord, asText, isRecord, type JsonRecord } from '../../../json/record.ts';
import type { ChatToolCall } from '../../../request/chat-request.ts';

/** Models that refuse a call whose signature is missing. */
const signatureRequired = /gemini-(?:[3-9]|\d{2,})/;
/**
 * Stands in for the signature of a call that another model made, or whose signature the client has lost; documented at
 * https://ai.google.dev/gemini-api/docs/thought-signatures. Only the first call of a turn has one.
 */
const unknownSignature = 'skip_thought_signature_validator';

/** `param` names the message. Throws GatewayError. */
export function functionCallParts(
  calls: readonly ChatToolCall[],
  { param, model }: { param: string; model: string },
): JsonRecord[] {
  return calls.map((call, index) => {
    const callParam = `${param}.tool_calls[${index}].function`;
    if (!call.function) {
      throw new GatewayError('unsupported_parameter', 'Only function calls can be sent to Gemini.', {
        param: callParam,
      });
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
  if (isRecord(value)) return value;
  throw new GatewayError(
    'invalid_parameter',
    `Invalid value for '${param}.arguments': expected a JSON object in a string.`,
    {
      param: `${param}.arguments`,
    },
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
