/** The body of a Messages request, with the blocks that its turns are made of. */
import { type TObject, type TSchema, Type } from '@sinclair/typebox';
import {
  assistantBlocks,
  documentSources,
  imageSources,
  textBlocks,
  userBlocks,
} from '../../dialects/messages/content-blocks.ts';
import { messagesRequestSchema } from '../../dialects/messages/messages-request.ts';
import { withNotes } from '../field-notes.ts';
import { anything, ref } from '../schema-parts.ts';

const textOr = (blocks: readonly TSchema[], description: string) =>
  Type.Union([Type.String(), Type.Array(Type.Union([...blocks]))], { description });

/** The schema of the block, with the members that are read on their own. */
const withMembers = (block: TObject, members: Record<string, TSchema>) =>
  Type.Object({ ...block.properties, ...members });

const source = (kinds: Readonly<Record<string, TSchema>>) => Type.Union(Object.values(kinds));
const { text, image, document, search_result: searchResult, tool_result: toolResult } = userBlocks;

const simpleBlocks = [
  text,
  withMembers(image, { source: source(imageSources) }),
  withMembers(document, { source: source(documentSources) }),
  withMembers(searchResult, { content: Type.Array(text) }),
];
const blocks = [
  ...simpleBlocks,
  withMembers(toolResult, { content: Type.Optional(textOr(simpleBlocks, 'What the tool has said.')) }),
  ...Object.values(assistantBlocks).filter((block) => block !== assistantBlocks.text),
];

export const messageTurn = Type.Object({
  role: messagesRequestSchema.properties.messages.items.properties.role,
  content: textOr(blocks, 'A text is short for one text block.'),
});

const notes = {
  model: 'The id of any chat model of `GET /v1/models`, of whatever provider.',
  max_tokens: 'Tokens to generate at most. The request holds their price while it runs.',
  messages: 'The conversation so far. Each turn needs content.',
  system: 'What the model is told beside the conversation.',
  stream: 'Whether the answer comes as server-sent events.',
  stop_sequences: 'Texts where the answer ends.',
  temperature: 'How freely the model chooses its words.',
  top_p: 'The share of probability that words are chosen from.',
  top_k: 'How many of the likeliest tokens are chosen from.',
  tools: 'Functions that the model may call, each with `name` and `input_schema`.',
  tool_choice: '`{"type": "auto" | "any" | "none"}`, or `{"type": "tool", "name": …}`.',
  thinking: '`{"type": "enabled", "budget_tokens": …}`, `adaptive` or `disabled`.',
  output_config: 'How much effort is made, and the schema that the answer has to match.',
  metadata: 'Your own name for whoever asks.',
  cache_control: 'Marks the end of what the provider may keep of the prompt, for five minutes; `ttl: "1h"` is refused.',
  mcp_servers: 'Refused: the gateway calls no servers.',
  container: 'Refused: the gateway runs no code.',
} as const;

const shapes = {
  messages: Type.Array(ref('MessageTurn'), { minItems: 1 }),
  system: textOr(Object.values(textBlocks), 'A text is short for one text block.'),
  mcp_servers: anything(''),
  container: anything(''),
};

export const messagesRequest = withNotes(messagesRequestSchema, notes, shapes);

/** A count needs no cap of the output. */
export const tokenCountRequest = withNotes(
  Type.Object({
    ...messagesRequestSchema.properties,
    max_tokens: Type.Optional(messagesRequestSchema.properties.max_tokens),
  }),
  notes,
  shapes,
);

const short = { model: 'demo/chat', messages: [{ role: 'user', content: 'Hello!' }] };

export const messagesRequestExamples = {
  short: { summary: 'A question', value: { ...short, max_tokens: 100 } },
  streamed: {
    summary: 'Streamed, with blocks',
    value: {
      model: 'demo/chat',
      max_tokens: 100,
      stream: true,
      system: 'Answer in one sentence.',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'What is a ledger?' }] }],
    },
  },
};

export const tokenCountExamples = { short: { summary: 'A question', value: short } };
