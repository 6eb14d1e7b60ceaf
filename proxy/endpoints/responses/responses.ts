/** POST /v1/responses: OpenAI's newer interface for any chat model, except for features that need stored state. */
import { checkValue } from '../../../shared/http/check-value.ts';
import { chatBody } from '../../interfaces/openai-responses/request/chat-body.ts';
import { responsesRequestSchema } from '../../interfaces/openai-responses/request/request-schema.ts';
import { type ReadResponsesCall, readSettings } from '../../interfaces/openai-responses/request/settings.ts';
import { refuseMoved, refuseUnsupported } from '../../interfaces/openai-responses/request/unsupported.ts';
import { chatRequestSchema } from '../../request/chat-request.ts';
import { chatCallOf } from '../chat-completions/chat-completions.ts';

/** Throws GatewayError whose `param` is this interface's name of the parameter. */
export function readResponses(value: object, text: string): ReadResponsesCall {
  refuseMoved(value);
  const request = checkValue(responsesRequestSchema, value);
  refuseUnsupported(request);
  const settings = readSettings(request, text);
  // The translated members are valid; this checks the ones that are passed on unchanged.
  const body = checkValue(chatRequestSchema, chatBody(settings));
  const translated = JSON.stringify(body);
  // What the provider receives bounds the prompt's tokens, so the longer of both texts counts.
  const bytes = Math.max(Buffer.byteLength(text), Buffer.byteLength(translated));
  return { ...chatCallOf(body, { text: translated, bytes }), settings, removedTools: settings.tools.removed };
}
