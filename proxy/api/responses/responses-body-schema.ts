/** The body of a Responses request, with its input items. */
import { type TObject, Type } from '@sinclair/typebox';
import {
  jsonSchemaFormat,
  reasoningSettings,
  responsesRequestSchema,
  textSettings,
} from '../../nouns/requests/responses-request.ts';
import { ref, tag, words } from '../document/schema-parts.ts';
import { withShapes } from '../document/with-shapes.ts';
import {
  callOutputItem,
  customCallItem,
  filePart,
  functionCallItem,
  imagePart,
  itemWithTools,
  messageItem,
  reasoningItem,
  refusalPart,
  textPart,
  toolSearchCallItem,
} from './request/item-schemas.ts';
import {
  allowedTools,
  customTool,
  functionTool,
  namedTool,
  namespaceTool,
  toolSearchTool,
} from './request/tool-schemas.ts';

/** Adds the `type` of an item or part to its schema. `meaning` completes "`type`: …". */
const tagged = (type: string, meaning: string, schema: TObject) =>
  Type.Object({ type: tag(type, meaning), ...schema.properties });

const content = Type.Union([
  Type.String(),
  Type.Array(
    Type.Union([
      tagged('input_text', 'a part with text.', textPart),
      tagged('output_text', 'text that the model generated earlier.', textPart),
      tagged('refusal', 'an earlier refusal by the model.', refusalPart),
      tagged('input_image', 'an image. It counts as input tokens.', imagePart),
      tagged('input_file', 'a document. It counts as input tokens.', filePart),
    ]),
  ),
]);

const callableTool = Type.Union([functionTool, customTool]);
const toolsShape = Type.Array(
  Type.Union([
    functionTool,
    customTool,
    withShapes(namespaceTool, { tools: Type.Array(callableTool) }),
    toolSearchTool,
  ]),
);

export const inputItem = Type.Union(
  [
    Type.Object({
      ...withShapes(messageItem, { content }).properties,
      type: Type.Optional(tag('message', 'a message. The default for items without a type.')),
    }),
    tagged('function_call', 'a call that the model made.', functionCallItem),
    tagged('function_call_output', 'the result of a call.', withShapes(callOutputItem, { output: content })),
    tagged('custom_tool_call', 'a call of a custom tool that the model made.', customCallItem),
    tagged('custom_tool_call_output', 'the result of such a call.', withShapes(callOutputItem, { output: content })),
    tagged('tool_search_call', 'a search for tools that the model made.', toolSearchCallItem),
    tagged('tool_search_output', 'the tools that the search found.', withShapes(itemWithTools, { tools: toolsShape })),
    tagged('additional_tools', 'more tools.', withShapes(itemWithTools, { tools: toolsShape })),
    tagged('reasoning', "the model's reasoning, as returned with an earlier response.", reasoningItem),
  ],
  { description: 'One item of the conversation, by its `type`.' },
);

const format = Type.Union([
  Type.Object({
    type: words(['text', 'json_object'], '`text` for free text, `json_object` for any JSON object.'),
  }),
  jsonSchemaFormat,
  Type.Null(),
]);

const shapes = {
  input: Type.Union([Type.String(), Type.Array(ref('ResponseInputItem'))]),
  tools: Type.Union([toolsShape, Type.Null()]),
  tool_choice: Type.Union([
    words(['none', 'auto', 'required'], 'Whether the model calls tools.'),
    namedTool,
    allowedTools,
    Type.Null(),
  ]),
  text: Type.Union([withShapes(textSettings, { format }), Type.Null()]),
  reasoning: Type.Union([reasoningSettings, Type.Null()]),
};

export const responsesRequest = withShapes(responsesRequestSchema, shapes);

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
