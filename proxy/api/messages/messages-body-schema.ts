/** The body of a Messages request, with the content blocks of its turns. */
import { type TSchema, Type } from '@sinclair/typebox';
import { ref } from '../document/schema-parts.ts';
import { withShapes } from '../document/with-shapes.ts';
import { assistantBlocks, documentSources, imageSources, textBlocks, userBlocks } from './request/block-schemas.ts';
import { messagesRequestSchema } from './request/request-schema.ts';

const textOr = (blocks: readonly TSchema[]) => Type.Union([Type.String(), Type.Array(Type.Union([...blocks]))]);

const source = (kinds: Readonly<Record<string, TSchema>>) => Type.Union(Object.values(kinds));
const { text, image, document, search_result: searchResult, tool_result: toolResult } = userBlocks;

const simpleBlocks = [
  text,
  withShapes(image, { source: source(imageSources) }),
  withShapes(document, { source: source(documentSources) }),
  withShapes(searchResult, { content: Type.Array(text) }),
];
const blocks = [
  ...simpleBlocks,
  withShapes(toolResult, { content: textOr(simpleBlocks) }),
  ...Object.values(assistantBlocks).filter((block) => block !== assistantBlocks.text),
];

export const messageTurn = withShapes(messagesRequestSchema.properties.messages.items, { content: textOr(blocks) });

const shapes = {
  messages: Type.Array(ref('MessageTurn'), { minItems: 1 }),
  system: textOr(Object.values(textBlocks)),
};

export const messagesRequest = withShapes(messagesRequestSchema, shapes);

/** Counting needs no `max_tokens`. */
export const tokenCountRequest = withShapes(
  Type.Object(
    {
      ...messagesRequestSchema.properties,
      max_tokens: Type.Optional(messagesRequestSchema.properties.max_tokens),
    },
    { description: 'The request whose tokens to estimate, as you would send it to `/v1/messages`.' },
  ),
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
