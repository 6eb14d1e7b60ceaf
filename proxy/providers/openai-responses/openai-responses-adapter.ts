/**
 * OpenAI's Responses API at the provider. It serves requests to `/v1/responses` only, and both pass through: what it can
 * say would be lost in a chat completion. Nothing is stored at the provider.
 */
import { WholeLines } from '../../nouns/framing/framing.ts';
import { isResponsesCall } from '../../nouns/requests/responses-request.ts';
import type { Adapter } from '../adapter.ts';
import { openaiBatches } from '../openai/openai-batches.ts';
import { readFailure } from '../openai/response/failure-message.ts';
import { buildResponsesRequest, measureResponsesPrompt } from './request/build-request.ts';
import { echoOf } from './response/echo.ts';
import { PassedResponse } from './response/passed-response.ts';
import { readResponse } from './response/read-response.ts';

export const openaiResponsesAdapter: Adapter = {
  operations: {
    chat: {
      serves: isResponsesCall,
      measurePrompt: measureResponsesPrompt,
      buildRequest: buildResponsesRequest,
      readBody: readResponse,
      openStream: (call, _deployment, opening) => new PassedResponse(echoOf(call), opening?.scale),
    },
  },
  readFailure,
  openFraming: () => new WholeLines(),
  batches: openaiBatches,
};
