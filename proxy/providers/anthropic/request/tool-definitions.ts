/** Translates the tools and the tool choice. */
import { invalidParameter, unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import type { ChatRequest, ChatTool } from '../../../nouns/requests/chat-request.ts';
import type { WebSearch } from '../../../nouns/requests/web-search.ts';
import { jsonToolDescription, jsonToolNameOf, responseSchemaOf } from '../../content-blocks/json-output.ts';
import { cacheControlOf } from './content-blocks.ts';
import type { Conversation, MessagesTool, MessagesToolChoice, SearchTool } from './messages-request.ts';

export interface Tooling {
  readonly tools: readonly (MessagesTool | SearchTool)[];
  /** Undefined if there are no tools, or for the default choice. */
  readonly choice: MessagesToolChoice | undefined;
}

/** Throws GatewayError that names the tool at fault. */
export function buildTooling(
  { body, webSearch }: { readonly body: ChatRequest; readonly webSearch: WebSearch | undefined },
  options: { conversation: Conversation; structuredOutput: 'tool' | 'native' },
): Tooling {
  const tooling = functionTooling(body, options);
  if (webSearch === undefined) return tooling;
  const { usesMax, filters, isForced } = webSearch;
  const tool: SearchTool = { type: 'web_search_20250305', name: 'web_search', max_uses: usesMax, ...filters };
  // None of them may be called.
  const functions = tooling.choice?.type === 'none' ? [] : tooling.tools;
  const index = functions.findIndex(({ name }) => name === tool.name);
  if (index >= 0)
    throw unsupportedParameter(`tools[${index}]`, `A function '${tool.name}' cannot stand beside searches of the web.`);
  const choice = isForced ? { type: 'tool' as const, name: tool.name } : choiceBesideSearch(tooling, body);
  return { tools: [...functions, tool], choice };
}

/** A choice that only follows from the functions must not forbid the search. */
function choiceBesideSearch({ choice }: Tooling, { tool_choice: requested }: ChatRequest): Tooling['choice'] {
  if (choice?.type === 'none') return undefined;
  const isOfJson = choice?.type === 'tool' && typeof requested !== 'object';
  return isOfJson ? { type: 'any', disable_parallel_tool_use: true } : choice;
}

function functionTooling(
  body: ChatRequest,
  { conversation, structuredOutput }: { conversation: Conversation; structuredOutput: 'tool' | 'native' },
): Tooling {
  const tools = (body.tools ?? []).map((tool, index) => functionTool(tool, `tools[${index}]`));
  const choice = tools.length === 0 ? undefined : choiceOf(body);
  const schema = structuredOutput === 'tool' ? responseSchemaOf(body) : undefined;
  const name = jsonToolNameOf(body);
  if (schema !== undefined && name !== undefined && choice?.type !== 'tool') {
    return withJsonTool({ tools, choice }, jsonTool(name, schema));
  }
  return tools.length > 0 ? { tools, choice } : earlierTools(conversation);
}

/** The model may call the client's tools first, and ends with a call of this one, which is its response. */
function withJsonTool({ tools, choice }: Tooling, tool: MessagesTool): Tooling {
  const mayCallOthers = tools.length > 0 && choice?.type !== 'none';
  return {
    tools: [...tools, tool],
    choice: {
      ...(mayCallOthers ? { type: 'any' as const } : { type: 'tool' as const, name: tool.name }),
      disable_parallel_tool_use: true,
    },
  };
}

function jsonTool(name: string, schema: Readonly<Record<string, unknown>>): MessagesTool {
  return { name, description: jsonToolDescription, input_schema: { type: 'object', ...schema } };
}

/** Anthropic refuses earlier tool calls if the request has no tools, so the called ones are listed but disabled. */
function earlierTools({ turns }: Conversation): Tooling {
  const blocks = turns.flatMap(({ content }) => content);
  const names = new Set(blocks.flatMap((block) => (block.type === 'tool_use' ? [block.name] : [])));
  if (names.size === 0) return { tools: [], choice: undefined };
  return {
    tools: [...names].map((name) => ({ name, input_schema: { type: 'object' } })),
    choice: { type: 'none' },
  };
}

function functionTool(tool: ChatTool, param: string): MessagesTool {
  if (tool.type !== 'function' || !tool.function) {
    throw unsupportedParameter(`${param}.type`, "This model only supports tools of type 'function'.");
  }
  const { name, description, parameters } = tool.function;
  return {
    name,
    ...(description ? { description } : {}),
    input_schema: { type: 'object', ...parameters },
    ...cacheControlOf(tool),
  };
}

function choiceOf({ tool_choice: choice, parallel_tool_calls }: ChatRequest): MessagesToolChoice | undefined {
  const oneAtATime = parallel_tool_calls === false ? { disable_parallel_tool_use: true as const } : {};
  if (typeof choice === 'object' && choice !== null) {
    if (choice.type !== 'function' || !choice.function) throw unsupportedParameter('tool_choice.type');
    return { type: 'tool', name: choice.function.name, ...oneAtATime };
  }
  switch (choice ?? 'auto') {
    case 'none':
      return { type: 'none' };
    case 'required':
      return { type: 'any', ...oneAtATime };
    case 'auto':
      return choice || parallel_tool_calls === false ? { type: 'auto', ...oneAtATime } : undefined;
    default:
      throw invalidParameter('tool_choice', 'none, auto, required or an object that names a function');
  }
}
