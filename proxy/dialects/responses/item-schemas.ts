/** The items of a Responses input and the parts of their content, each by its type. */
import { type Static, Type } from '@sinclair/typebox';
import { listLimits } from '../../request/list-limits.ts';
import { optional } from '../../request/optional.ts';

const string = Type.String({ description: 'a string' });

/** The parts are looked at one by one, each by its type. */
const content = Type.Union([Type.String(), Type.Array(Type.Unknown(), { maxItems: listLimits.contentParts })], {
  description: `a string or an array of up to ${listLimits.contentParts} content parts`,
});

export const messageItem = Type.Object({
  role: Type.Union(
    ['user', 'assistant', 'system', 'developer'].map((role) => Type.Literal(role)),
    { description: 'one of user, assistant, system, developer' },
  ),
  content,
});

export const functionCallItem = Type.Object({
  call_id: string,
  name: string,
  arguments: string,
  /** What a provider wants back with its call, as Gemini does its thought signature. */
  extra_content: optional(Type.Record(Type.String(), Type.Unknown(), { description: 'an object' })),
});

export const functionCallOutputItem = Type.Object({ call_id: string, output: content });

export const textPart = Type.Object({ text: string }, { description: 'an object with a text' });

export const reasoningItem = Type.Object({
  summary: optional(
    Type.Array(textPart, { maxItems: listLimits.contentParts, description: 'an array of summary texts' }),
  ),
  content: optional(
    Type.Array(textPart, { maxItems: listLimits.contentParts, description: 'an array of reasoning texts' }),
  ),
  encrypted_content: optional(string),
});

export type ReasoningItemParam = Static<typeof reasoningItem>;

export const refusalPart = Type.Object({ refusal: string });

export const imagePart = Type.Object({
  image_url: optional(string),
  file_id: optional(string),
  detail: optional(
    Type.Union(
      ['auto', 'low', 'high', 'original'].map((detail) => Type.Literal(detail)),
      { description: 'one of auto, low, high, original' },
    ),
  ),
});

export const filePart = Type.Object({
  file_data: optional(string),
  file_url: optional(string),
  file_id: optional(string),
  filename: optional(string),
});
