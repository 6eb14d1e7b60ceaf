/** Google's generateContent protocol. */
import type { Adapter, ProviderFailure } from '../adapter.ts';
import { buildChatRequest } from './build-request.ts';
import { ChatStream } from './chat-stream.ts';
import { readErrorStatus } from './error-status.ts';
import { readChatBody } from './read-body.ts';

export const geminiAdapter: Adapter = {
  operations: {
    chat: {
      buildRequest: buildChatRequest,
      readBody: readChatBody,
      openStream: (call) => new ChatStream(call),
    },
  },
  readFailure,
};

function readFailure(body: string): ProviderFailure {
  try {
    const { message, retryAfterMs } = readErrorStatus(JSON.parse(body)) ?? {};
    return { message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  } catch {
    return { message: undefined };
  }
}
