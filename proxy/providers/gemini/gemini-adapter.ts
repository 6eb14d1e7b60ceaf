/** Gemini's generateContent protocol. */
import { WholeLines } from '../../nouns/framing/framing.ts';
import type { Adapter, ProviderFailure } from '../adapter.ts';
import { buildEmbeddingRequest, embeddingDivision, measureInputs, readEmbeddings } from './gemini-embeddings.ts';
import { buildChatRequest, measureChatPrompt } from './request/build-request.ts';
import { ChatStream } from './response/chat-stream.ts';
import { readErrorStatus } from './response/error-status.ts';
import { readChatBody } from './response/read-body.ts';

export const geminiAdapter: Adapter = {
  operations: {
    chat: {
      measurePrompt: measureChatPrompt,
      buildRequest: buildChatRequest,
      readBody: readChatBody,
      openStream: (call, _deployment, opening) => new ChatStream({ call, scale: opening?.scale }),
    },
    embedding: {
      measurePrompt: measureInputs,
      buildRequest: buildEmbeddingRequest,
      readBody: (text, call) => readEmbeddings([text], call),
      division: embeddingDivision,
    },
  },
  readFailure,
  openFraming: () => new WholeLines(),
};

function readFailure(body: string): ProviderFailure {
  try {
    const status = readErrorStatus(JSON.parse(body));
    return {
      message: status?.message,
      ...(status?.retryAfterMs === undefined ? {} : { retryAfterMs: status.retryAfterMs }),
      ...(status?.refusesGateway ? { refusesGateway: true } : {}),
    };
  } catch {
    return { message: undefined };
  }
}
