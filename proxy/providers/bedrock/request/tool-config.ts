/** Tools, and whether one has to be called. Converse cannot say that none may be, nor that only one may at a time. */

import { invalidParameter, unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import type { ChatRequest, ChatTool } from '../../../request/chat-request.ts';
import { answerSchemaOf, jsonToolDescription, jsonToolNameOf } from '../../content-blocks/json-answer.ts';
import { markOf } from './conversation.ts';
import type { CachePoint, Conversation, ToolConfig, ToolSpec } from './converse-request.ts';

type Choice = NonNullable<ToolConfig['toolChoice']>;
type JsonSchema = Readonly<Record<string, unknown>>;

/** Undefined where there are no tools. Throws GatewayError that names the parameter at fault. */
export function buildToolConfig(
  body: ChatRequest,
  { conversation, passesMarks }: { conversation: Conversation; passesMarks: boolean },
): ToolConfig | undefined {
  const names = namesOfThePast(conversation);
  const given = body.tools ?? [];
  const choice = choiceOf(body);
  if (choice === 'none' && names.size > 0 && given.length > 0) {
    throw unsupportedParameter(
      'tool_choice',
      'This model cannot be kept from calling tools that it has called before.',
    );
  }
  // Without a call before, leaving the tools out says the same.
  const tools =
    choice === 'none'
      ? []
      : given.flatMap((tool, index) => [functionTool(tool, `tools[${index}]`), ...markOf(tool, { passesMarks })]);
  const jsonTool = jsonToolOf(body);
  if (jsonTool !== undefined && !isNamed(choice)) return withJsonTool(tools, jsonTool);
  if (tools.length > 0) return { tools, ...(typeof choice === 'object' ? { toolChoice: choice } : {}) };
  // A conversation with calls is refused where no tools are given, so those that were called are named.
  return names.size === 0 ? undefined : { tools: [...names].map((name) => toolSpec(name, {})) };
}

/** The model may call the client's own tools first; what it says to the end is the call of this one. */
function withJsonTool(tools: readonly (ToolSpec | CachePoint)[], jsonTool: ToolSpec): ToolConfig {
  return {
    tools: [...tools, jsonTool],
    toolChoice: tools.length > 0 ? { any: {} } : { tool: { name: jsonTool.toolSpec.name } },
  };
}

function jsonToolOf(body: ChatRequest): ToolSpec | undefined {
  const schema = answerSchemaOf(body);
  const name = jsonToolNameOf(body);
  return schema === undefined || name === undefined ? undefined : toolSpec(name, schema, jsonToolDescription);
}

function isNamed(choice: ReturnType<typeof choiceOf>): boolean {
  return typeof choice === 'object' && 'tool' in choice;
}

function namesOfThePast({ messages }: Conversation): ReadonlySet<string> {
  const blocks = messages.flatMap(({ content }) => content);
  return new Set(blocks.flatMap((block) => ('toolUse' in block ? [block.toolUse.name] : [])));
}

function functionTool(tool: ChatTool, param: string): ToolSpec {
  if (tool.type !== 'function' || !tool.function) {
    throw unsupportedParameter(`${param}.type`, 'This model knows tools of type function only.');
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
