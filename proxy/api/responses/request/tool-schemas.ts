/** The schemas of the tools of a Responses request, and of `tool_choice`. */
import { type Static, Type } from '@sinclair/typebox';
import { boolean, object, oneOf, optional, string } from '../../../nouns/requests/fields.ts';
import { toolList } from '../../../nouns/requests/responses-request.ts';

const always = <Value extends string>(value: Value) =>
  Type.Literal(value, { description: `Always \`${value}\` here.` });

export const functionTool = Type.Object({
  type: always('function'),
  name: string('The name by which the model calls the function.'),
  description: optional(string('What the function does and when to call it. The model decides based on this text.')),
  parameters: optional(object('A JSON Schema of the arguments. Without it, the function takes no arguments.')),
  strict: optional(
    boolean("Whether the arguments must match the schema exactly, if supported. Default: the provider's own."),
  ),
});

const inputFormat = Type.Object(
  {
    type: oneOf(['text', 'grammar'], '`text` for any text, `grammar` for text that matches `definition`.'),
    syntax: optional(string('The syntax of the grammar: `lark` or `regex`.')),
    definition: optional(string('The rules that the input has to follow, in that syntax.')),
  },
  { description: 'What the input looks like. Default: any text.', expected: 'an object with a type' },
);

export const customTool = Type.Object({
  type: always('custom'),
  name: string('The name by which the model calls the tool.'),
  description: optional(string('What the tool does and when to call it. The model decides based on this text.')),
  format: optional(inputFormat),
});

export const namespaceTool = Type.Object({
  type: always('namespace'),
  name: string('The name of the namespace. Calls of its tools repeat it.'),
  description: optional(string('What the tools have in common. The model may see it.')),
  tools: toolList('The functions and custom tools of the namespace.'),
});

export const toolSearchTool = Type.Object({
  type: always('tool_search'),
  execution: optional(
    oneOf(
      ['server', 'client'],
      '`client`: you search, and answer a `tool_search_call` with the tools found. `server`: all tools are offered from the start.',
    ),
  ),
  description: optional(string('What can be found, and how to search for it.')),
  parameters: optional(object('A JSON Schema of the arguments of a search.')),
});

export type FunctionTool = Static<typeof functionTool>;
export type CustomTool = Static<typeof customTool>;
export type NamespaceTool = Static<typeof namespaceTool>;
export type ToolSearchTool = Static<typeof toolSearchTool>;

export const namedTool = Type.Object({
  type: oneOf(['function', 'custom'], 'The kind of tool.'),
  name: string('The name of the tool, one of `tools`.'),
  namespace: optional(string('The namespace of the tool, if it is in one.')),
});

export const namedNamespace = Type.Object({
  type: always('namespace'),
  name: string('The name of the namespace, all of whose tools are meant.'),
});

export const allowedTools = Type.Object({
  type: always('allowed_tools'),
  mode: oneOf(['auto', 'required'], 'Whether the model may call one of these tools, or must.'),
  tools: toolList('The tools that may be called, each by its `type` and `name`.'),
});
