/** Translates tools and the tool choice. Converse supports neither `none` nor a limit of one call at a time. */
import { invalidParameter, unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import type { ChatRequest, ChatTool } from '../../../nouns/requests/chat-request.ts';
import { jsonToolDescription, jsonToolNameOf, responseSchemaOf } from '../../content-blocks/json-output.ts';
import { markOf } from './conversation.ts';
import type { CachePoint, Conversation, ToolConfig, ToolSpec } from './converse-request.ts';

type Choice = NonNullable<ToolConfig['toolChoice']>;
type JsonSchema = Readonly<Record<string, unknown>>;

/** Undefined if there are no tools. Throws GatewayError that names the parameter at fault. */
export function buildToolConfig(
  body: ChatRequest,
  { conversation, passesMarks }: { conversation: Conversation; passesMarks: boolean },
): ToolConfig | undefined {
  const names = earlierNames(conversation);
  const given = body.tools ?? [];
  const choice = choiceOf(body);
  if (choice === 'none' && names.size > 0 && given.length > 0) {
    throw unsupportedParameter(
      'tool_choice',
      "This model does not support 'none' in a conversation with earlier tool calls.",
    );
  }
  // Without earlier calls, leaving the tools out has the same effect.
  const tools =
    choice === 'none'
      ? []
      : given.flatMap((tool, index) => [functionTool(tool, `tools[${index}]`), ...markOf(tool, { passesMarks })]);
  const jsonTool = jsonToolOf(body);
  if (jsonTool !== undefined && !isNamed(choice)) return withJsonTool(tools, jsonTool);
  if (tools.length > 0) return { tools, ...(typeof choice === 'object' ? { toolChoice: choice } : {}) };
  // Bedrock refuses earlier tool calls if the request has no tools, so the called ones are listed.
  return names.size === 0 ? undefined : { tools: [...names].map((name) => toolSpec(name, {})) };
}

/** The model may call the client's tools first, and ends with a call of this one, which is its response. */
function withJsonTool(tools: readonly (ToolSpec | CachePoint)[], jsonTool: ToolSpec): ToolConfig {
  return {
    tools: [...tools, jsonTool],
    toolChoice: tools.length > 0 ? { any: {} } : { tool: { name: jsonTool.toolSpec.name } },
  };
}

function jsonToolOf(body: ChatRequest): ToolSpec | undefined {
  const schema = responseSchemaOf(body);
  const name = jsonToolNameOf(body);
  return schema === undefined || name === undefined ? undefined : toolSpec(name, schema, jsonToolDescription);
}

function isNamed(choice: ReturnType<typeof choiceOf>): boolean {
  return typeof choice === 'object' && 'tool' in choice;
}

function earlierNames({ messages }: Conversation): ReadonlySet<string> {
  const blocks = messages.flatMap(({ content }) => content);
  return new Set(blocks.flatMap((block) => ('toolUse' in block ? [block.toolUse.name] : [])));
}

function functionTool(tool: ChatTool, param: string): ToolSpec {
  if (tool.type !== 'function' || !tool.function) {
    throw unsupportedParameter(`${param}.type`, "This model only supports tools of type 'function'.");
  }
  const { name, description, parameters } = tool.function;
  return toolSpec(name, parameters ?? {}, description);
}

function toolSpec(name: string, schema: JsonSchema, description?: string | null): ToolSpec {
  const inputSchema = { json: { type: 'object', ...schema } };
  return { toolSpec: { name, ...(description ? { description } : {}), inputSchema } };
}

function choiceOf(body: ChatRequest): Choice | 'none' | 'auto' {
  const { tools, tool_choice: choice, parallel_tool_calls: parallel } = body;
  if ((tools ?? []).length === 0) return 'auto';
  if (parallel === false && choice !== 'none') throw unsupportedParameter('parallel_tool_calls');
  if (typeof choice === 'object' && choice !== null) {
    if (choice.type !== 'function' || !choice.function) throw unsupportedParameter('tool_choice.type');
    return { tool: { name: choice.function.name } };
  }
  switch (choice ?? 'auto') {
    case 'none':
      return 'none';
    case 'auto':
      return 'auto';
    case 'required':
      return { any: {} };
    default:
      throw invalidParameter('tool_choice', 'none, auto, required or an object that names a function');
  }
}
