/** OpenAI's protocol, for OpenAI and all compatible providers. */
import type { TextCall } from '../../nouns/call.ts';
import { WholeLines } from '../../nouns/framing/framing.ts';
import type { Deployment } from '../../pricing/catalogue.ts';
import type { Adapter, StreamOpening } from '../adapter.ts';
import { readRanking } from '../ranking.ts';
import { openaiBatches } from './openai-batches.ts';
import {
  buildChatRequest,
  buildCompletionRequest,
  buildEmbeddingRequest,
  buildImageRequest,
  buildModerationRequest,
  buildRerankRequest,
  buildSpeechRequest,
  measure,
  measureChatPrompt,
  measureImagePrompt,
} from './request/build-request.ts';
import { buildTranscriptionRequest, measureTranscriptionPrompt } from './request/transcription-request.ts';
import { readFailure } from './response/failure-message.ts';
import { audioScaleOf, readChatBody, readCompletionBody } from './response/read-body.ts';
import { readEmbeddings } from './response/read-embeddings.ts';
import { readImagesBody } from './response/read-images.ts';
import { readModerations } from './response/read-moderations.ts';
import { readTranscript } from './response/transcript.ts';
import { ChatStream, type StreamOptions, TextStream } from './stream/openai-stream.ts';
import { SpeechStream } from './stream/speech-stream.ts';
import { TranscriptStream } from './stream/transcript-stream.ts';

export const openaiAdapter: Adapter = {
  operations: {
    chat: {
      measurePrompt: measureChatPrompt,
      buildRequest: buildChatRequest,
      readBody: readChatBody,
      openStream: (call, deployment, opening) =>
        new ChatStream({ ...streamOptions(call, deployment, opening), audioScale: audioScaleOf(call) }),
    },
    completion: {
      measurePrompt: (call, deployment) => measure('completion', call, deployment),
      buildRequest: buildCompletionRequest,
      readBody: readCompletionBody,
      openStream: (call, deployment, opening) => new TextStream(call, streamOptions(call, deployment, opening)),
    },
    embedding: {
      measurePrompt: (call, deployment) => measure('embedding', call, deployment),
      buildRequest: buildEmbeddingRequest,
      readBody: readEmbeddings,
    },
    image: {
      measurePrompt: measureImagePrompt,
      buildRequest: buildImageRequest,
      readBody: readImagesBody,
    },
    moderation: {
      measurePrompt: (call, deployment) => measure('moderation', call, deployment),
      buildRequest: buildModerationRequest,
      readBody: readModerations,
    },
    rerank: {
      measurePrompt: (call, deployment) => measure('rerank', call, deployment),
      buildRequest: buildRerankRequest,
      readBody: readRanking,
    },
    speech: {
      measurePrompt: (call, deployment) => measure('speech', call, deployment),
      buildRequest: buildSpeechRequest,
      readBody: () => {
        throw new Error('every request for speech is streamed');
      },
      openStream: (call, _deployment, opening) => new SpeechStream(call, opening),
    },
    transcription: {
      measurePrompt: measureTranscriptionPrompt,
      buildRequest: buildTranscriptionRequest,
      readBody: readTranscript,
      openStream: (call, _deployment, opening) => new TranscriptStream(call, opening),
    },
  },
  readFailure,
  openFraming: () => new WholeLines(),
  batches: openaiBatches,
};

function streamOptions(
  { includeUsage, model }: TextCall,
  { provider }: Deployment,
  opening?: StreamOpening,
): StreamOptions {
  return { includeUsage, model, cachedTokensField: provider.quirks.cachedTokensField, scale: opening?.scale };
}
