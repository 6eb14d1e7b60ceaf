/** POST /v1/responses: OpenAI's Responses API for any chat model, except for features that need stored state. */
import { checkValue } from '../../../shared/http/check-value.ts';
import { chatRequestSchema } from '../../nouns/requests/chat-request.ts';
import { responsesRequestSchema } from '../../nouns/requests/responses-request.ts';
import { refuseUnpriced } from '../../nouns/requests/unpriced-parameters.ts';
import { chatCallOf } from '../chat-completions/chat-completions.ts';
import { chatBody } from './request/chat-body.ts';
import { type ReadResponsesCall, readSettings } from './request/settings.ts';
import { chosenSearch } from './request/tool-choice.ts';
import { refuseMoved, refuseUnsupported } from './request/unsupported.ts';

/** Throws GatewayError whose `param` is the parameter's name in this API format. */
export function readResponses(value: object, text: string): ReadResponsesCall {
  refuseMoved(value);
  const request = checkValue(responsesRequestSchema, value);
  refuseUnsupported(request);
  const settings = readSettings(request, text);
  // The translated members are valid; this checks the ones that are passed on unchanged.
  const body = checkValue(chatRequestSchema, chatBody(settings));
  refuseUnpriced(body);
  const translated = JSON.stringify(body);
  // What the provider receives bounds the prompt's tokens, so the longer of both texts counts.
  const bytes = Math.max(Buffer.byteLength(text), Buffer.byteLength(translated));
  const webSearch = chosenSearch(settings.tools, settings.toolChoice);
  return {
    ...chatCallOf(body, { text: translated, bytes }),
    settings,
    ...(webSearch !== undefined && { webSearch }),
    removedTools: settings.tools.removed,
    keepsOrder: true,
  };
}
