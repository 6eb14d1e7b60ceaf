/** Anthropic's Messages API. */
import type { ChatCall } from '../../nouns/call.ts';
import { WholeLines } from '../../nouns/framing/framing.ts';
import type { Deployment } from '../../pricing/catalogue.ts';
import type { Adapter } from '../adapter.ts';
import { jsonToolNameOf } from '../content-blocks/json-output.ts';
import { anthropicBatches } from './anthropic-batches.ts';
import { buildMessagesRequest, measureMessagesPrompt } from './request/build-request.ts';
import { readMessageBody } from './response/read-body.ts';
import { readFailure } from './response/read-failure.ts';
import { MessageStream } from './response/read-message-stream.ts';

export const anthropicAdapter: Adapter = {
  operations: {
    chat: {
      measurePrompt: measureMessagesPrompt,
      buildRequest: buildMessagesRequest,
      readBody: (text, call: ChatCall, deployment) =>
        readMessageBody(text, {
          model: call.model,
          nowMs: Date.now(),
          jsonTool: jsonToolOf(call, deployment),
          keepsOrder: call.keepsOrder,
          shown: call.webSearch,
        }),
      openStream: (call: ChatCall, deployment, opening) =>
        new MessageStream({
          includeUsage: call.includeUsage,
          model: call.model,
          createdAtMs: Date.now(),
          jsonTool: jsonToolOf(call, deployment),
          scale: opening?.scale,
          keepsOrder: call.keepsOrder,
          shown: call.webSearch,
        }),
    },
  },
  readFailure,
  openFraming: () => new WholeLines(),
  batches: anthropicBatches,
};

/** The tool whose input is the response, if the model is given one. */
function jsonToolOf(call: ChatCall, { provider }: Deployment): string | undefined {
  return provider.quirks.structuredOutput === 'native' ? undefined : jsonToolNameOf(call.body);
}
