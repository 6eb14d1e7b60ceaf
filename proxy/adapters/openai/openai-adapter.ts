/** OpenAI's protocol, and everything that speaks it. */
import type { Deployment } from '../../catalogue/catalogue.ts';
import type { Call } from '../../request/call.ts';
import type { Adapter } from '../adapter.ts';
import { buildChatRequest, buildCompletionRequest, buildEmbeddingRequest } from './build-request.ts';
import { ChatStream } from './chat-stream.ts';
import { readFailure } from './failure-message.ts';
import type { StreamOptions } from './openai-stream.ts';
import { readChatBody, readCompletionBody } from './read-body.ts';
import { readEmbeddings } from './read-embeddings.ts';
import { TextStream } from './text-stream.ts';

export const openaiAdapter: Adapter = {
  operations: {
    chat: {
      buildRequest: buildChatRequest,
      readBody: readChatBody,
      openStream: (call, deployment) => new ChatStream(streamOptions(call, deployment)),
    },
    completion: {
      buildRequest: buildCompletionRequest,
      readBody: readCompletionBody,
      openStream: (call, deployment) => new TextStream(call, streamOptions(call, deployment)),
    },
    embedding: { buildRequest: buildEmbeddingRequest, readBody: readEmbeddings },
  },
  readFailure,
};

function streamOptions({ includeUsage, model }: Call, { provider }: Deployment): StreamOptions {
  return { includeUsage, model, cachedTokensField: provider.quirks.cachedTokensField };
}
