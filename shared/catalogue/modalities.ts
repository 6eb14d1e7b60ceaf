/** What models take and give, in OpenRouter's words. All but the input of chats follows from the kind of model. */
import type { ModelKind } from './model-kinds.ts';

export const inputModalities = ['text', 'image', 'file', 'audio', 'video'] as const;
export type InputModality = (typeof inputModalities)[number];

export const outputModalities = [
  ...(['text', 'audio', 'embeddings', 'image', 'speech', 'transcription', 'moderation', 'rerank'] as const),
] as const;
export type OutputModality = (typeof outputModalities)[number];

const inputOfKind: Readonly<Record<ModelKind, InputModality>> = {
  chat: 'text',
  completion: 'text',
  embedding: 'text',
  image: 'text',
  speech: 'text',
  transcription: 'audio',
  moderation: 'text',
  rerank: 'text',
};

const outputOfKind: Readonly<Record<ModelKind, OutputModality>> = {
  chat: 'text',
  completion: 'text',
  embedding: 'embeddings',
  image: 'image',
  speech: 'speech',
  transcription: 'transcription',
  moderation: 'moderation',
  rerank: 'rerank',
};

export interface Modalities {
  readonly input: readonly InputModality[];
  readonly output: readonly OutputModality[];
}

interface ModelWithInput {
  readonly kind: ModelKind;
  /** As the catalogue says; undefined if it says nothing. */
  readonly inputModalities?: readonly InputModality[];
  /** A model of the kind `image` with it takes images too, which are a part of the prompt. */
  readonly hasPromptPrice: boolean;
  /** Of a chat model: it may be asked for audio beside text. */
  readonly hasAudioOutput: boolean;
}

/** In one order, so that lists can be compared. */
export function modalitiesOf({
  kind,
  inputModalities: given,
  hasPromptPrice,
  hasAudioOutput,
}: ModelWithInput): Modalities {
  const usual = kind === 'image' && hasPromptPrice ? (['text', 'image'] as const) : [inputOfKind[kind]];
  const input = given ?? usual;
  return {
    input: inputModalities.filter((modality) => input.includes(modality)),
    output: [outputOfKind[kind], ...(kind === 'chat' && hasAudioOutput ? (['audio'] as const) : [])],
  };
}
