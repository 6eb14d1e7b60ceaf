/**
 * Reads the tools of a Responses request. They are in `tools` and in items of the input that add more: `additional_tools`
 * and the result of a search. Tools that the provider would run are left out of all of them, but for searches of the web in
 * `tools`.
 */
import type { Static } from '@sinclair/typebox';
import { checkValue } from '../../../../shared/http/check-value.ts';
import { unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import { isObject } from '../../../../shared/members.ts';
import { HostedTools } from '../../../nouns/requests/hosted-tools.ts';
import { type ResponsesRequest, typed } from '../../../nouns/requests/responses-request.ts';
import { usesLimit, type WebSearch } from '../../../nouns/requests/web-search.ts';
import { itemWithTools } from './item-schemas.ts';
import {
  type CustomTool,
  customTool,
  type FunctionTool,
  functionTool,
  type NamespaceTool,
  namespaceTool,
  type ToolSearchTool,
  toolSearchTool,
} from './tool-schemas.ts';
import { Toolbox } from './toolbox.ts';

type CallableTool = FunctionTool | CustomTool;
type Namespace = NamespaceTool & { readonly tools: readonly CallableTool[] };

/** A tool that the client runs. */
export type ClientTool = CallableTool | Namespace | ToolSearchTool;

export interface Tools {
  /** Those of `tools`, which the response repeats. */
  readonly listed: readonly ClientTool[];
  readonly toolbox: Toolbox;
  /** The kinds that were left out. */
  readonly removed: readonly string[];
  readonly webSearch: WebSearch | undefined;
}

const itemsWithTools: ReadonlySet<unknown> = new Set(['additional_tools', 'tool_search_output']);

/** Throws GatewayError for tools of an unknown kind. */
export function readTools({ tools, input, max_tool_calls: usesMax }: ResponsesRequest): Tools {
  const hosted = new HostedTools();
  const listed = readList(tools ?? [], 'tools', (tool, at) => hosted.takes(tool, at));
  const added = (Array.isArray(input) ? input : []).flatMap((item: unknown, index) => {
    if (!isObject(item) || !itemsWithTools.has(item.type)) return [];
    const at = `input[${index}]`;
    return readList(checkValue(itemWithTools, item, at).tools, `${at}.tools`, ({ type }) => hosted.removes(type));
  });
  const { removed, webSearch } = hosted;
  return {
    listed,
    toolbox: fill([...listed, ...added]),
    removed,
    webSearch: webSearch && { ...webSearch, ...(usesMax && { usesMax: Math.min(usesMax, usesLimit) }) },
  };
}

function readList(
  tools: readonly unknown[],
  at: string,
  isHosted: (tool: Static<typeof typed>, at: string) => boolean,
): ClientTool[] {
  return tools.flatMap((tool, index) => {
    const place = `${at}[${index}]`;
    const known = checkValue(typed, tool, place);
    return isHosted(known, place) ? [] : [readTool(known.type, tool, place)];
  });
}

function readTool(type: string, tool: unknown, at: string): ClientTool {
  if (type === 'tool_search') return checkValue(toolSearchTool, tool, at);
  if (type !== 'namespace') return readCallable(type, tool, at);
  const namespace = checkValue(namespaceTool, tool, at);
  const tools = namespace.tools.map((inner, index) => {
    const place = `${at}.tools[${index}]`;
    return readCallable(checkValue(typed, inner, place).type, inner, place);
  });
  return { ...namespace, tools };
}

function readCallable(type: string, tool: unknown, at: string): CallableTool {
  if (type === 'function') return checkValue(functionTool, tool, at);
  if (type === 'custom') return checkValue(customTool, tool, at);
  throw unsupportedParameter(
    `${at}.type`,
    `Tools of type '${type}' are not supported. Supported types are function, custom, namespace and tool_search.`,
  );
}

function fill(tools: readonly ClientTool[]): Toolbox {
  const toolbox = new Toolbox();
  // Tools outside of namespaces keep their names.
  for (const tool of tools) if (isCallable(tool)) toolbox.functionName(tool);
  for (const tool of tools) {
    if (tool.type === 'namespace') for (const inner of tool.tools) toolbox.add(inner, tool.name);
    // If the provider were to search, all that it could find is offered anyway.
    else if (tool.type !== 'tool_search' || tool.execution === 'client') toolbox.add(tool);
  }
  return toolbox;
}

function isCallable(tool: ClientTool): tool is CallableTool {
  return tool.type === 'function' || tool.type === 'custom';
}
