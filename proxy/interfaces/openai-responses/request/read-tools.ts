/** Translates the tools and `tool_choice` of a Responses request to those of chat completions. */
import { checkValue } from '../../../../shared/http/check-value.ts';
import { invalidParameter, unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import type { ChatRequest, ChatTool } from '../../../request/chat-request.ts';
import {
  allowedTools,
  type FunctionToolParam,
  functionTool,
  namedFunction,
  type ResponsesRequest,
  typed,
} from './request-schema.ts';

const toolChoiceOptions = ['auto', 'none', 'required'] as const;

export type ToolChoice =
  | (typeof toolChoiceOptions)[number]
  | { readonly type: 'function'; readonly name: string }
  | { readonly type: 'allowed_tools'; readonly mode: 'auto' | 'required'; readonly tools: { name: string }[] };

/** Throws GatewayError for tools other than functions: the gateway runs none. */
export function readTools(tools: ResponsesRequest['tools']): readonly FunctionToolParam[] {
  return (tools ?? []).map((tool, index) => readFunction(tool, `tools[${index}]`));
}

export function readToolChoice(choice: unknown, tools: readonly FunctionToolParam[]): ToolChoice {
  const option = toolChoiceOptions.find((candidate) => candidate === (choice ?? 'auto'));
  if (option !== undefined) return checkHasTools(option, tools);
  const { type } = checkValue(typed, choice, 'tool_choice');
  if (type === 'function') {
    const { name } = checkValue(namedFunction, choice, 'tool_choice');
    return { type, name: checkIsTool(name, 'tool_choice.name', namesOf(tools)) };
  }
  if (type === 'allowed_tools') return readAllowed(choice, tools);
  throw unsupportedParameter('tool_choice.type', `A 'tool_choice' of type '${type}' is not supported.`);
}

/** To allow only a subset of the tools, the others are left out, which works with every provider. */
export function chatTools(
  tools: readonly FunctionToolParam[],
  choice: ToolChoice,
): Pick<ChatRequest, 'tools' | 'tool_choice'> {
  const allowed =
    typeof choice === 'string' || choice.type === 'function'
      ? undefined
      : new Set(choice.tools.map(({ name }) => name));
  const offered = allowed === undefined ? tools : tools.filter(({ name }) => allowed.has(name));
  // Providers refuse an empty list, and a choice without tools.
  if (offered.length === 0) return {};
  const toolChoice = chatToolChoice(choice);
  return { tools: offered.map(chatTool), ...(toolChoice !== 'auto' && { tool_choice: toolChoice }) };
}

function chatTool({ name, description, parameters, strict }: FunctionToolParam): ChatTool {
  return {
    type: 'function',
    function: {
      name,
      ...(description && { description }),
      ...(parameters && { parameters }),
      ...(typeof strict === 'boolean' && { strict }),
    },
  };
}

function chatToolChoice(choice: ToolChoice): NonNullable<ChatRequest['tool_choice']> {
  if (typeof choice === 'string') return choice;
  return choice.type === 'function' ? { type: 'function', function: { name: choice.name } } : choice.mode;
}

function readFunction(tool: unknown, at: string): FunctionToolParam {
  const { type } = checkValue(typed, tool, at);
  if (type === 'function') return checkValue(functionTool, tool, at);
  throw unsupportedParameter(
    `${at}.type`,
    `Tools of type '${type}' are not supported: the gateway runs no tools. Only 'function' is supported.`,
  );
}

function readAllowed(choice: unknown, tools: readonly FunctionToolParam[]): ToolChoice {
  const { type, mode, tools: allowed } = checkValue(allowedTools, choice, 'tool_choice');
  const names = namesOf(tools);
  const named = allowed.map((tool, index) => {
    const at = `tool_choice.tools[${index}]`;
    return { type: 'function', name: checkIsTool(checkValue(namedFunction, tool, at).name, `${at}.name`, names) };
  });
  if (named.length === 0) throw invalidParameter('tool_choice.tools', 'an array of at least one tool');
  return { type, mode: mode === 'required' ? 'required' : 'auto', tools: named };
}

function checkHasTools<Option extends string>(option: Option, tools: readonly FunctionToolParam[]): Option {
  if (option === 'required' && tools.length === 0)
    throw invalidParameter('tool_choice', "'auto' or 'none' when there are no 'tools'");
  return option;
}

function namesOf(tools: readonly FunctionToolParam[]): ReadonlySet<string> {
  return new Set(tools.map(({ name }) => name));
}

function checkIsTool(name: string, param: string, names: ReadonlySet<string>): string {
  if (names.has(name)) return name;
  throw invalidParameter(param, "the name of one of the 'tools'");
}
