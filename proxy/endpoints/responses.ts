/** POST /v1/responses: OpenAI's newer interface, as far as it needs no memory between requests, for any chat model. */
import { checkValue } from '../../shared/http/check-value.ts';
import { chatBody } from '../dialects/responses/chat-body.ts';
import { responsesRequestSchema } from '../dialects/responses/request-schema.ts';
import { type ResponsesCall, readSettings } from '../dialects/responses/settings.ts';
import { refuseMoved, refuseUnsupported } from '../dialects/responses/unsupported.ts';
import { chatRequestSchema } from '../request/chat-request.ts';
import { chatCallOf } from './chat-completions.ts';

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
