/** The schemas of Responses input items and of their content parts. */
import { type Static, Type } from '@sinclair/typebox';
import { listLimits, object, oneOf, optional, string } from '../../../nouns/requests/fields.ts';
import { toolList } from '../../../nouns/requests/responses-request.ts';

/** Each part is checked by its type when it is read. */
const content = (description: string) =>
  Type.Union([Type.String(), Type.Array(Type.Unknown(), { maxItems: listLimits.contentParts })], {
    description,
    expected: `a string or an array of up to ${listLimits.contentParts} content parts`,
  });

export const messageItem = Type.Object({
  role: oneOf(
    ['user', 'assistant', 'system', 'developer'],
    'Who the message is from: `system` or `developer` gives instructions, `user` is the end user, `assistant` the model.',
  ),
  content: content('The content of the message: a string, or a list of text, image and file parts.'),
});

const extraContent = optional(
  object("Data that the provider needs back with the call, such as Gemini's thought signature. Send it unchanged."),
);
const namespace = optional(string('The namespace of the tool, as the call has it.'));

export const functionCallItem = Type.Object({
  call_id: string('The id of the call. The `function_call_output` with the result refers to it.'),
  name: string('The name of the function that the model called.'),
  namespace,
  arguments: string('The arguments, as a JSON string, exactly as the model wrote them.'),
  extra_content: extraContent,
});

export const customCallItem = Type.Object({
  call_id: string('The id of the call. The `custom_tool_call_output` with the result refers to it.'),
  name: string('The name of the tool that the model called.'),
  namespace,
  input: string('The input of the tool, exactly as the model wrote it.'),
  extra_content: extraContent,
});

export const toolSearchCallItem = Type.Object({
  call_id: optional(string('The id of the call. The `tool_search_output` with the tools refers to it.')),
  arguments: Type.Unknown({ description: 'What the model searched for.' }),
  extra_content: extraContent,
});

/** `additional_tools` and `tool_search_output`. */
export const itemWithTools = Type.Object({
  call_id: optional(string('The `call_id` of the search that found the tools.')),
  tools: toolList('Tools that the model may call from here on, in the same form as in `tools`.'),
});

export const callOutputItem = Type.Object({
  call_id: string('The `call_id` of the call that this is the result of.'),
  output: content('What the tool returned: a string, or a list of text, image and file parts.'),
});

export const textPart = Type.Object({ text: string('The text of the part.') }, { expected: 'an object with a text' });

const texts = (description: string, expected: string) =>
  optional(Type.Array(textPart, { maxItems: listLimits.contentParts, description, expected }));

export const reasoningItem = Type.Object({
  summary: texts('The summary of the reasoning, as the response returned it.', 'an array of summary texts'),
  content: texts('The text of the reasoning, as the response returned it.', 'an array of reasoning texts'),
  encrypted_content: optional(
    string(
      'The encrypted reasoning, which the response returns with `include: ["reasoning.encrypted_content"]`. Send it ' +
        'unchanged.',
    ),
  ),
});

export type ReasoningItemParam = Static<typeof reasoningItem>;

export const refusalPart = Type.Object({ refusal: string('Why the model declined to answer.') });

export const imagePart = Type.Object({
  image_url: optional(string('An `https:` URL of the image, or the image itself as a `data:` URL in base64.')),
  file_id: optional(string("Not supported: files at a provider belong to the gateway's account. Send `image_url`.")),
  detail: optional(
    oneOf(
      ['auto', 'low', 'high', 'original'],
      'The resolution at which the model reads the image: `low` costs fewer tokens than `high`. Default `auto`.',
    ),
  ),
});

export const filePart = Type.Object({
  file_data: optional(string('The file, as a `data:` URL in base64.')),
  file_url: optional(string('An `https:` URL of the file, for models that can fetch files.')),
  file_id: optional(string("Not supported: files at a provider belong to the gateway's account. Send `file_data`.")),
  filename: optional(string('The name of the file, which the model may see.')),
});
