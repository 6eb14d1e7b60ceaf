/** The items of a Responses input and the parts of their content, each by its type. */
import { type Static, Type } from '@sinclair/typebox';
import { object, oneOf, string } from '../../../request/fields.ts';
import { listLimits } from '../../../request/list-limits.ts';
import { optional } from '../../../request/optional.ts';

/** The parts are looked at one by one, each by its type. */
const content = (description: string) =>
  Type.Union([Type.String(), Type.Array(Type.Unknown(), { maxItems: listLimits.contentParts })], {
    description,
    expected: `a string or an array of up to ${listLimits.contentParts} content parts`,
  });

export const messageItem = Type.Object({
  role: oneOf(
    ['user', 'assistant', 'system', 'developer'],
    'Who speaks: `system` or `developer` gives instructions, `user` asks, `assistant` is an earlier answer of the model.',
  ),
  content: content('What is said: a text, or parts of text, images and files.'),
});

export const functionCallItem = Type.Object({
  call_id: string('The id of the call. The `function_call_output` with its result repeats it.'),
  name: string('The name of the function that the model called.'),
  arguments: string('The arguments, as JSON in a string, exactly as the model wrote them.'),
  /** What a provider wants back with its call, as Gemini does its thought signature. */
  extra_content: optional(
    object(
      "Data that the provider wants back with the call, such as Gemini's thought signature. Send it as you got it.",
    ),
  ),
});

export const functionCallOutputItem = Type.Object({
  call_id: string('The `call_id` of the call that this is the result of.'),
  output: content('What the function returned: a text, or parts of text, images and files.'),
});

export const textPart = Type.Object({ text: string('The text of the part.') }, { expected: 'an object with a text' });

const texts = (description: string, expected: string) =>
  optional(Type.Array(textPart, { maxItems: listLimits.contentParts, description, expected }));

export const reasoningItem = Type.Object({
  summary: texts('The summary of the thoughts, as it came with the response.', 'an array of summary texts'),
  content: texts('The text of the thoughts, as it came with the response.', 'an array of reasoning texts'),
  encrypted_content: optional(
    string(
      'The thoughts themselves, as you got them with `include: ["reasoning.encrypted_content"]`. Send them unchanged.',
    ),
  ),
});

export type ReasoningItemParam = Static<typeof reasoningItem>;

export const refusalPart = Type.Object({ refusal: string('Why the model declined to answer.') });

export const imagePart = Type.Object({
  image_url: optional(string('An `https:` URL of the image, or the image itself as a `data:` URL in base64.')),
  file_id: optional(string('Not supported: the gateway stores no files. Send `image_url`.')),
  detail: optional(
    oneOf(
      ['auto', 'low', 'high', 'original'],
      'The resolution to read the image in: `low` costs fewer tokens than `high`. Default `auto`.',
    ),
  ),
});

export const filePart = Type.Object({
  file_data: optional(string('The file, as a `data:` URL in base64.')),
  file_url: optional(string('An `https:` URL of the file, for models that read files by their URL.')),
  file_id: optional(string('Not supported: the gateway stores no files. Send `file_data`.')),
  filename: optional(string('The name of the file, which the model may see.')),
});
