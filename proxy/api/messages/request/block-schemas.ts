/**
 * The content blocks of a request: what user turns, assistant turns and tool results may contain. Of the tools that run at
 * Anthropic, the gateway only offers searches of the web.
 */
import { type Static, Type } from '@sinclair/typebox';
import { boolean, cacheControl, object, optional, string } from '../../../nouns/requests/fields.ts';

const tagged = <Name extends string>(name: Name, description: string) =>
  Type.Literal(name, { description: `\`${name}\`: ${description}` });

/** Read on its own, by `readTagged` or as text. */
const nested = (description: string) => Type.Unknown({ description });

const block = <Name extends string, Members extends Parameters<typeof Type.Object>[0]>(
  type: ReturnType<typeof tagged<Name>>,
  members: Members,
) => Type.Object({ type, ...members, cache_control: cacheControl('this block') });

const text = block(tagged('text', 'a block of text.'), { text: string('The text of the block.') });
const image = block(tagged('image', 'an image. Counts as input tokens.'), {
  source: nested('The image itself, or its URL.'),
});
const document = block(tagged('document', 'a PDF or text document.'), {
  source: nested('The document itself, or its URL.'),
  title: optional(string('The title of the document, which the model sees.')),
  context: optional(string('Additional information about the document for the model.')),
});
const searchResult = block(tagged('search_result', 'a search result that you provide to the model.'), {
  source: string('Where the result was found: a URL or a name.'),
  title: string('The title of the result.'),
  content: nested('The content of the result, as text blocks.'),
});

export const textBlocks = { text };
export const resultBlocks = { text, image, document, search_result: searchResult };
export const userBlocks = {
  ...resultBlocks,
  tool_result: block(tagged('tool_result', 'the result of a call.'), {
    tool_use_id: string('The `id` of the `tool_use` block that this is the result of.'),
    content: Type.Optional(nested('What the tool returned: a string, or a list of blocks.')),
    is_error: optional(boolean('Whether the call failed. Default false.')),
  }),
};
const citations = Type.Optional(
  nested('What the text is cited from, in the form in which it was returned. Send it unchanged.'),
);
export const assistantBlocks = {
  text: block(tagged('text', 'a block of text.'), { text: string('The text of the block.'), citations }),
  thinking: block(tagged('thinking', "the model's thinking."), {
    thinking: string('The text of the thinking.'),
    signature: optional(string('Proves to the provider that its model generated the block. Send it unchanged.')),
  }),
  redacted_thinking: block(tagged('redacted_thinking', "the model's thinking, encrypted."), {
    data: string('The encrypted thinking. Send it unchanged.'),
  }),
  server_tool_use: block(tagged('server_tool_use', 'a search of the web by the provider.'), {
    id: string('The id of the search. The `web_search_tool_result` block with its results refers to it.'),
    name: Type.Literal('web_search', { description: 'The tool: always `web_search`.' }),
    input: object('What was searched for.'),
  }),
  web_search_tool_result: block(tagged('web_search_tool_result', 'what a search has found. Send it unchanged.'), {
    tool_use_id: string('The `id` of the `server_tool_use` block that this is the result of.'),
    content: nested('A list of results, or an error.'),
  }),
  tool_use: block(tagged('tool_use', 'a call that the model made.'), {
    id: string('The id of the call. The `tool_result` block with the result refers to it.'),
    name: string('The name of the function that the model called.'),
    input: object('The arguments of the call.'),
    /** Beyond Anthropic's API: the gateway returns it for a provider that needs it back, as Gemini does. */
    extra_content: optional(
      object("Data that the provider needs back with the call, such as Gemini's thought signature. Send it unchanged."),
    ),
  }),
};

const base64 = tagged('base64', 'the content itself.');
const url = tagged('url', 'a URL of the content.');
const mediaType = string('The media type of the content, such as `image/png` or `application/pdf`.');

export const imageSources = {
  base64: Type.Object({ type: base64, media_type: mediaType, data: string('The content, in base64.') }),
  url: Type.Object({ type: url, url: string('An `https:` URL that the provider can read.') }),
};
export const documentSources = {
  ...imageSources,
  text: Type.Object({ type: tagged('text', 'plain text.'), data: string('The text of the document.') }),
  content: Type.Object({
    type: tagged('content', 'a document that consists of blocks.'),
    content: nested('The document, as a string or a list of blocks.'),
  }),
};

type AnyOf<Kinds extends Record<string, Parameters<typeof Type.Optional>[0]>> = Static<Kinds[keyof Kinds]>;
export type ResultBlock = AnyOf<typeof resultBlocks>;
export type AssistantBlock = AnyOf<typeof assistantBlocks>;
export type ToolResultBlock = Static<typeof userBlocks.tool_result>;
