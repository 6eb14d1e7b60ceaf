/** The table of inference endpoints. */
import type { ModelKind } from '../../shared/catalogue/model-kinds.ts';
import type { FormFormat } from '../nouns/requests/form-value.ts';
import type { Endpoint } from '../request/relay.ts';
import { readAnyChat } from './any-chat/read-any-chat.ts';
import { dialectOfChat } from './any-chat/text-tools-dialect.ts';
import { readCompletion } from './completions/completions.ts';
import { readEmbedding } from './embeddings/embeddings.ts';
import { editForm, readImageEdit, readImages } from './images/images.ts';
import { readMessages } from './messages/messages.ts';
import { messagesDialect } from './messages/messages-dialect.ts';
import { readModeration } from './moderations/moderations.ts';
import { readRerank } from './rerank/rerank.ts';
import { readResponses } from './responses/responses.ts';
import { responsesDialect } from './responses/responses-dialect.ts';
import { readSpeech } from './speech/speech.ts';
import { readTranscription, readTranslation, recordingForm } from './transcriptions/transcriptions.ts';

export const endpoints: Readonly<Record<string, Endpoint>> = {
  '/v1/chat/completions': { kind: 'chat', read: readAnyChat, dialectOf: dialectOfChat, isRepeatable: true },
  '/v1/completions': { kind: 'completion', read: readCompletion, takesTokenIds: true, isRepeatable: true },
  '/v1/embeddings': { kind: 'embedding', read: readEmbedding, takesTokenIds: true, isRepeatable: true },
  '/v1/images/generations': { kind: 'image', read: readImages },
  '/v1/images/edits': { kind: 'image', read: readImageEdit, form: editForm },
  '/v1/moderations': { kind: 'moderation', read: readModeration, isRepeatable: true },
  '/v1/rerank': { kind: 'rerank', read: readRerank, isRepeatable: true },
  '/v1/messages': { kind: 'chat', read: readMessages, dialect: messagesDialect, isRepeatable: true },
  '/v1/responses': { kind: 'chat', read: readResponses, dialect: responsesDialect, isRepeatable: true },
  '/v1/audio/speech': { kind: 'speech', read: readSpeech },
  '/v1/audio/transcriptions': { kind: 'transcription', read: readTranscription, form: recordingForm },
  '/v1/audio/translations': { kind: 'transcription', read: readTranslation, form: recordingForm },
};

const forms = Object.values(endpoints).flatMap(({ form }) => form ?? []);

/** Of any endpoint. */
export const anyForm: FormFormat = {
  files: Math.max(...forms.map(({ files }) => files)),
  fileMaxBytes: Math.max(...forms.map(({ fileMaxBytes }) => fileMaxBytes)),
  maxBytes: Math.max(...forms.map(({ maxBytes }) => maxBytes)),
  fieldKinds: Object.assign({}, ...forms.map(({ fieldKinds }) => fieldKinds)),
};

/** The first endpoint that serves this kind of model, and takes such a body. Undefined if there is none. */
export function endpointOf(kind: ModelKind, { isForm }: { isForm: boolean }): Endpoint | undefined {
  return Object.values(endpoints).find(
    (endpoint) => endpoint.kind === kind && (endpoint.form !== undefined) === isForm,
  );
}
