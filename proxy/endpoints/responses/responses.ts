/** POST /v1/responses: OpenAI's newer interface, as far as it needs no memory between requests, for any chat model. */
import { checkValue } from '../../../shared/http/check-value.ts';
import { chatBody } from '../../interfaces/openai-responses/request/chat-body.ts';
import { responsesRequestSchema } from '../../interfaces/openai-responses/request/request-schema.ts';
import { type ResponsesCall, readSettings } from '../../interfaces/openai-responses/request/settings.ts';
import { refuseMoved, refuseUnsupported } from '../../interfaces/openai-responses/request/unsupported.ts';
import { chatRequestSchema } from '../../request/chat-request.ts';
import { chatCallOf } from '../chat-completions/chat-completions.ts';

/** Throws GatewayError that names the parameter as this interface does. */
export function readResponses(value: object, text: string): ResponsesCall {
  refuseMoved(value);
  const request = checkValue(responsesRequestSchema, value);
  refuseUnsupported(request);
  const settings = readSettings(request);
  // The translation is right as it was made; checked is what was passed on under a name of chat completions.
  const body = checkValue(chatRequestSchema, chatBody(settings));
  const translated = JSON.stringify(body);
  // The hold is reckoned from the bytes, and the provider counts those of the translation.
  const bytes = Math.max(Buffer.byteLength(text), Buffer.byteLength(translated));
  return { ...chatCallOf(body, { text: translated, bytes }), settings };
}
