/** The body of a Responses request, with the items that its input is made of. */
import { type TObject, type TSchema, Type } from '@sinclair/typebox';
import {
  filePart,
  functionCallItem,
  functionCallOutputItem,
  imagePart,
  messageItem,
  reasoningItem,
  refusalPart,
  textPart,
} from '../../dialects/responses/item-schemas.ts';
import {
  allowedTools,
  functionTool,
  jsonSchemaFormat,
  namedFunction,
  reasoningSettings,
  responsesRequestSchema,
  textSettings,
} from '../../dialects/responses/request-schema.ts';
import { withNotes } from '../field-notes.ts';
import { anything, ref, words } from '../schema-parts.ts';

/** The schema of an item or part says what is in it, this by which `type` it is known. */
const tagged = (type: string, schema: TObject, members: Record<string, TSchema> = {}) =>
  Type.Object({ type: Type.Literal(type), ...schema.properties, ...members });

const content = Type.Union([
  Type.String(),
  Type.Array(
    Type.Union([
      ...['input_text', 'output_text'].map((type) => tagged(type, textPart)),
      tagged('refusal', refusalPart),
      tagged('input_image', imagePart),
      tagged('input_file', filePart),
    ]),
  ),
]);

export const inputItem = Type.Union([
  Type.Object({ ...messageItem.properties, type: Type.Optional(Type.Literal('message')), content }),
  tagged('function_call', functionCallItem),
  tagged('function_call_output', functionCallOutputItem, { output: content }),
  tagged('reasoning', reasoningItem),
]);

const format = Type.Union([
  Type.Object({ type: words(['text', 'json_object'], 'Without a schema.') }),
  jsonSchemaFormat,
  Type.Null(),
]);

const notes = {
  model: 'The id of any chat model of `GET /v1/models`, of whatever provider.',
  input: 'A question, or the whole conversation: nothing is kept between requests.',
  instructions: 'What the model is told beside the conversation.',
  max_output_tokens: "Tokens to generate at most. Where nothing is said, the model's own limit.",
  max_tool_calls: 'Repeated in the answer: tools are run by you.',
  temperature: 'How freely the model chooses its words. Change this or `top_p`, not both.',
  top_p: 'The share of probability that words are chosen from.',
  top_logprobs: 'Only 0: probabilities are told by `/v1/chat/completions`.',
  tools: 'Functions that the model may call. Tools that a provider runs itself are refused.',
  tool_choice: '`none`, `auto`, `required`, the function that has to be called, or the tools that may be.',
  parallel_tool_calls: 'Whether one answer may call several functions.',
  text: 'The form of the answer, and how long-winded it may be.',
  reasoning: 'How much the model may think.',
  include: '`reasoning.encrypted_content` gives out the thoughts that the model wants back.',
  metadata: 'Repeated in the answer.',
  user: 'Your own name for whoever asks. It is passed on to the provider.',
  safety_identifier: 'The same under its newer name.',
  prompt_cache_key: 'Passed on to the provider.',
  stream: 'Whether the answer comes as server-sent events.',
  stream_options: 'Passed over.',
  truncation: 'Nothing is truncated: a conversation that is too long is refused.',
  store: 'Passed over: nothing is stored.',
  background: 'Only false.',
  previous_response_id: 'Refused: nothing is stored.',
  conversation: 'Refused: nothing is stored.',
  prompt: 'Refused: nothing is stored.',
  context_management: 'Refused.',
  moderation: 'Refused.',
} as const;

const shapes = {
  input: Type.Union([Type.String(), Type.Array(ref('ResponseInputItem'))]),
  tools: Type.Union([Type.Array(functionTool), Type.Null()]),
  tool_choice: Type.Union([words(['none', 'auto', 'required'], ''), namedFunction, allowedTools, Type.Null()]),
  text: Type.Union([Type.Object({ ...textSettings.properties, format: Type.Optional(format) }), Type.Null()]),
  reasoning: Type.Union([reasoningSettings, Type.Null()]),
  ...Object.fromEntries(['conversation', 'prompt', 'moderation'].map((name) => [name, anything('')])),
};

export const responsesRequest = withNotes(responsesRequestSchema, notes, shapes);

export const responsesRequestExamples = {
  short: { summary: 'A question', value: { model: 'demo/chat', input: 'Hello!', max_output_tokens: 100 } },
  streamed: {
    summary: 'A conversation, streamed',
    value: {
      model: 'demo/chat',
      stream: true,
      instructions: 'Answer in one sentence.',
      input: [
        { role: 'user', content: 'What is a ledger?' },
        { role: 'assistant', content: 'A book of accounts.' },
        { role: 'user', content: [{ type: 'input_text', text: 'And a journal?' }] },
      ],
      max_output_tokens: 100,
    },
  },
};
