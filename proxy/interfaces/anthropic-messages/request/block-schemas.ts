/**
 * The content blocks of a request: what a turn of the user, a turn of the assistant and the result of a tool may hold.
 * Blocks of tools that run at Anthropic are not among them, as those tools are not offered here.
 */
import { type Static, Type } from '@sinclair/typebox';
import { boolean, cacheControl, object, string } from '../../../request/fields.ts';
import { optional } from '../../../request/optional.ts';

const tagged = <Name extends string>(name: Name, description: string) =>
  Type.Literal(name, { description: `\`${name}\`: ${description}` });

/** Read on its own, by `readTagged` or as text. */
const nested = (description: string) => Type.Unknown({ description });

const block = <Name extends string, Members extends Parameters<typeof Type.Object>[0]>(
  type: ReturnType<typeof tagged<Name>>,
  members: Members,
) => Type.Object({ type, ...members, cache_control: cacheControl('this block') });

const text = block(tagged('text', 'a piece of text.'), { text: string('The text of the block.') });
const image = block(tagged('image', 'an image. It counts as input tokens.'), {
  source: nested('The image itself, or its URL.'),
});
const document = block(tagged('document', 'a PDF or a text.'), {
  source: nested('The document itself, or its URL.'),
  title: optional(string('The title of the document, which the model sees.')),
  context: optional(string('What the model should know about the document besides its content.')),
});
const searchResult = block(tagged('search_result', 'something that you have found for the model.'), {
  source: string('Where it was found: a URL or a name.'),
  title: string('The title of what was found.'),
  content: nested('The text of what was found, as text blocks.'),
});

export const textBlocks = { text };
export const resultBlocks = { text, image, document, search_result: searchResult };
export const userBlocks = {
  ...resultBlocks,
  tool_result: block(tagged('tool_result', 'the result of a call.'), {
    tool_use_id: string('The `id` of the `tool_use` block that this is the result of.'),
    content: Type.Optional(nested('What the tool returned: a text, or a list of blocks.')),
    is_error: optional(boolean('Whether the call failed. Default false.')),
  }),
};
export const assistantBlocks = {
  text,
  thinking: block(tagged('thinking', 'a thought of the model.'), {
    thinking: string('The text of the thought.'),
    signature: optional(string('Proves to the provider that the thought is its own. Send it unchanged.')),
  }),
  redacted_thinking: block(tagged('redacted_thinking', 'an encrypted thought of the model.'), {
    data: string('The encrypted thought. Send it unchanged.'),
  }),
  tool_use: block(tagged('tool_use', 'a call that the model made.'), {
    id: string('The id of the call. The `tool_result` block with its result repeats it.'),
    name: string('The name of the function that the model called.'),
    input: object('The arguments of the call.'),
    /** What our answers carry beyond the interface, for a provider that wants it back: Gemini's signed thoughts. */
    extra_content: optional(
      object(
        "Data that the provider wants back with the call, such as Gemini's thought signature. Send it as you got it.",
      ),
    ),
  }),
};

const base64 = tagged('base64', 'the content itself.');
const url = tagged('url', 'an address to read it from.');
const mediaType = string('The media type of the content, such as `image/png` or `application/pdf`.');

export const imageSources = {
  base64: Type.Object({ type: base64, media_type: mediaType, data: string('The content, in base64.') }),
  url: Type.Object({ type: url, url: string('An `https:` URL that the provider can read.') }),
};
export const documentSources = {
  ...imageSources,
  text: Type.Object({ type: tagged('text', 'plain text.'), data: string('The text of the document.') }),
  content: Type.Object({
    type: tagged('content', 'a document that is made of blocks.'),
    content: nested('The document as a text or a list of blocks.'),
  }),
};

type AnyOf<Kinds extends Record<string, Parameters<typeof Type.Optional>[0]>> = Static<Kinds[keyof Kinds]>;
export type ResultBlock = AnyOf<typeof resultBlocks>;
export type AssistantBlock = AnyOf<typeof assistantBlocks>;
export type ToolResultBlock = Static<typeof userBlocks.tool_result>;
