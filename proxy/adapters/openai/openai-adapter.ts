/** OpenAI's protocol, and everything that speaks it. */
import type { Adapter } from '../adapter.ts';
import { buildChatRequest } from './build-request.ts';
import { ChatStream } from './chat-stream.ts';
import { readErrorMessage } from './completion-object.ts';
import { readChatBody } from './read-body.ts';

export const openaiAdapter: Adapter = {
  operations: {
    chat: {
      buildRequest: buildChatRequest,
      readBody: readChatBody,
      openStream: (call) => new ChatStream({ includeUsage: call.includeUsage }),
    },
  },
  readFailure: (body) => ({ message: readErrorMessage(body) }),
};
