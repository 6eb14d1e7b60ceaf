/**
 * The content blocks of a request: what a turn of the user, a turn of the assistant and the result of a tool may hold.
 * Blocks of tools that run at Anthropic are not among them, as those tools are not offered here.
 */
import { type Static, Type } from '@sinclair/typebox';
import { optional } from '../../request/optional.ts';

const string = Type.String({ description: 'a string' });
const boolean = Type.Boolean({ description: 'a boolean' });
const object = Type.Record(Type.String(), Type.Unknown(), { description: 'an object' });
/** Read on its own, by `readTagged` or as text. */
const nested = Type.Unknown();

const block = <Name extends string, Members extends Parameters<typeof Type.Object>[0]>(type: Name, members: Members) =>
  Type.Object({ type: Type.Literal(type), ...members, cache_control: optional(object) });

const text = block('text', { text: string });
const image = block('image', { source: nested });
const document = block('document', { source: nested, title: optional(string), context: optional(string) });
const searchResult = block('search_result', { source: string, title: string, content: nested });

export const textBlocks = { text };
export const resultBlocks = { text, image, document, search_result: searchResult };
export const userBlocks = {
  ...resultBlocks,
  tool_result: block('tool_result', {
    tool_use_id: string,
    content: Type.Optional(nested),
    is_error: optional(boolean),
  }),
};
export const assistantBlocks = {
  text,
  thinking: block('thinking', { thinking: string, signature: optional(string) }),
  redacted_thinking: block('redacted_thinking', { data: string }),
  tool_use: block('tool_use', {
    id: string,
    name: string,
    input: object,
    /** What our answers carry beyond the interface, for a provider that wants it back: Gemini's signed thoughts. */
    extra_content: optional(object),
  }),
};

export const imageSources = {
  base64: Type.Object({ type: Type.Literal('base64'), media_type: string, data: string }),
  url: Type.Object({ type: Type.Literal('url'), url: string }),
};
export const documentSources = {
  ...imageSources,
  text: Type.Object({ type: Type.Literal('text'), data: string }),
  content: Type.Object({ type: Type.Literal('content'), content: nested }),
};

type AnyOf<Kinds extends Record<string, Parameters<typeof Type.Optional>[0]>> = Static<Kinds[keyof Kinds]>;
export type ResultBlock = AnyOf<typeof resultBlocks>;
export type AssistantBlock = AnyOf<typeof assistantBlocks>;
export type ToolResultBlock = Static<typeof userBlocks.tool_result>;
