/** Amazon Bedrock's Converse API, for models of any vendor. */
import type { ChatCall } from '../../nouns/call.ts';
import { WholeFrames } from '../../nouns/framing/framing.ts';
import type { Adapter } from '../adapter.ts';
import { jsonToolNameOf } from '../content-blocks/json-output.ts';
import { buildConverseRequest, measureConversePrompt } from './request/build-request.ts';
import { readFailure } from './response/converse-failure.ts';
import { ConverseStream } from './response/converse-stream.ts';
import { readConverseBody } from './response/read-body.ts';

export const bedrockAdapter: Adapter = {
  operations: {
    chat: {
      measurePrompt: measureConversePrompt,
      buildRequest: buildConverseRequest,
      readBody: (text, { model, body, keepsOrder }: ChatCall) =>
        readConverseBody(text, { model, nowMs: Date.now(), jsonTool: jsonToolNameOf(body), keepsOrder }),
      openStream: ({ model, body, includeUsage, keepsOrder }: ChatCall, _deployment, opening) =>
        new ConverseStream({
          includeUsage,
          model,
          createdAtMs: Date.now(),
          jsonTool: jsonToolNameOf(body),
          keepsOrder,
          scale: opening?.scale,
        }),
    },
  },
  readFailure,
  openFraming: () => new WholeFrames(),
};
