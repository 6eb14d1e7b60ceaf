/** The table of inference endpoints. */
import type { ModelKind } from '../../shared/catalogue/published-catalogue.ts';
import type { Endpoint } from '../request/relay.ts';
import { readChatCompletion } from './chat-completions/chat-completions.ts';
import { readCompletion } from './completions/completions.ts';
import { readEmbedding } from './embeddings/embeddings.ts';
import { readImages } from './images/images.ts';
import { readMessages } from './messages/messages.ts';
import { messagesDialect } from './messages/messages-dialect.ts';
import { readResponses } from './responses/responses.ts';
import { responsesDialect } from './responses/responses-dialect.ts';
import { readSpeech } from './speech/speech.ts';
import { readTranscription, readTranslation, recordingForm } from './transcriptions/transcriptions.ts';

export const endpoints: Readonly<Record<string, Endpoint>> = {
  '/v1/chat/completions': { kind: 'chat', read: readChatCompletion },
  '/v1/completions': { kind: 'completion', read: readCompletion, takesTokenIds: true },
  '/v1/embeddings': { kind: 'embedding', read: readEmbedding, takesTokenIds: true },
  '/v1/images/generations': { kind: 'image', read: readImages },
  '/v1/messages': { kind: 'chat', read: readMessages, dialect: messagesDialect },
  '/v1/responses': { kind: 'chat', read: readResponses, dialect: responsesDialect },
  '/v1/audio/speech': { kind: 'speech', read: readSpeech },
  '/v1/audio/transcriptions': { kind: 'transcription', read: readTranscription, form: recordingForm },
  '/v1/audio/translations': { kind: 'transcription', read: readTranslation, form: recordingForm },
};

/** In bytes. */
export const largestForm = Math.max(...Object.values(endpoints).map(({ form }) => form?.maxBytes ?? 0));

/** The first endpoint that serves this kind of model. */
export function endpointOf(kind: ModelKind): Endpoint {
  const found = Object.values(endpoints).find((endpoint) => endpoint.kind === kind);
  if (found === undefined) throw new Error(`no endpoint serves models of kind ${kind}`);
  return found;
}
