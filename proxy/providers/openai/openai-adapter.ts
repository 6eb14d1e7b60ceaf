/** OpenAI's protocol, for OpenAI and all compatible providers. */
import type { TextCall } from '../../nouns/call.ts';
import { WholeLines } from '../../nouns/framing/framing.ts';
import type { Deployment } from '../../pricing/catalogue.ts';
import type { Adapter } from '../adapter.ts';
import {
  buildChatRequest,
  buildCompletionRequest,
  buildEmbeddingRequest,
  buildImageRequest,
  measure,
  measureChatPrompt,
} from './request/build-request.ts';
import { readFailure } from './response/failure-message.ts';
import { readChatBody, readCompletionBody } from './response/read-body.ts';
import { readEmbeddings } from './response/read-embeddings.ts';
import { readImagesBody } from './response/read-images.ts';
import { ChatStream, type StreamOptions, TextStream } from './stream/openai-stream.ts';

export const openaiAdapter: Adapter = {
  operations: {
    chat: {
      measurePrompt: measureChatPrompt,
      buildRequest: buildChatRequest,
      readBody: readChatBody,
      openStream: (call, deployment, scale) => new ChatStream({ ...streamOptions(call, deployment), scale }),
    },
    completion: {
      measurePrompt: (call, deployment) => measure('completion', call, deployment),
      buildRequest: buildCompletionRequest,
      readBody: readCompletionBody,
      openStream: (call, deployment, scale) => new TextStream(call, { ...streamOptions(call, deployment), scale }),
    },
    embedding: {
      measurePrompt: (call, deployment) => measure('embedding', call, deployment),
      buildRequest: buildEmbeddingRequest,
      readBody: readEmbeddings,
    },
    image: {
      measurePrompt: (call, deployment) => measure('image', call, deployment),
      buildRequest: buildImageRequest,
      readBody: readImagesBody,
    },
  },
  readFailure,
  openFraming: () => new WholeLines(),
};

function streamOptions({ includeUsage, model }: TextCall, { provider }: Deployment): StreamOptions {
  return { includeUsage, model, cachedTokensField: provider.quirks.cachedTokensField };
}
