/** Anthropic's Messages API. */
import type { ChatCall } from '../../request/call.ts';
import type { Adapter } from '../adapter.ts';
import { buildMessagesRequest } from './build-request.ts';
import { jsonToolNameOf } from './json-answer.ts';
import { MessageStream } from './message-stream.ts';
import { readMessageBody } from './read-body.ts';
import { readFailure } from './read-failure.ts';

export const anthropicAdapter: Adapter = {
  operations: {
    chat: {
      buildRequest: buildMessagesRequest,
      readBody: (text, call: ChatCall) => readMessageBody(text, call),
      openStream: (call: ChatCall, { provider }) =>
        new MessageStream({
          includeUsage: call.includeUsage,
          model: call.model,
          createdAtMs: Date.now(),
          jsonTool: provider.quirks.structuredOutput === 'native' ? undefined : jsonToolNameOf(call.body),
        }),
    },
  },
  readFailure,
};
