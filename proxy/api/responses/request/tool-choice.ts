/** `tool_choice`: which of the tools the model may or must call. */
import { checkValue } from '../../../../shared/http/check-value.ts';
import { invalidParameter, unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import type { ChatRequest } from '../../../nouns/requests/chat-request.ts';
import { hostedKindOf, refuseForced } from '../../../nouns/requests/hosted-tools.ts';
import { typed } from '../../../nouns/requests/responses-request.ts';
import { type WebSearch, webSearchKind } from '../../../nouns/requests/web-search.ts';
import type { Tools } from './read-tools.ts';
import { allowedTools, namedNamespace, namedTool } from './tool-schemas.ts';
import type { Toolbox } from './toolbox.ts';

const options = ['auto', 'none', 'required'] as const;
type Option = (typeof options)[number];

export interface ToolChoice {
  /** As the client sent it. */
  readonly requested: unknown;
  /** An option, or the name of the function to call. */
  readonly mode: Option | { readonly functionName: string };
  /** The functions that may be called; undefined for all. */
  readonly allowed?: ReadonlySet<string>;
  /** What it says of searches of the web. */
  readonly webSearch?: 'forced' | 'excluded';
}

/** Throws GatewayError, also if a tool is forced that was left out. */
export function readToolChoice(requested: unknown, tools: Tools): ToolChoice {
  const { toolbox, removed, webSearch } = tools;
  const option = options.find((candidate) => candidate === (requested ?? 'auto'));
  if (option !== undefined) {
    if (option === 'none') return { requested: option, mode: option, webSearch: 'excluded' };
    if (option === 'auto' || !toolbox.isEmpty) return { requested: option, mode: option };
    return webSearch === undefined ? refuseRequired(removed) : { requested: option, mode: option, webSearch: 'forced' };
  }
  const { type } = checkValue(typed, requested, 'tool_choice');
  if (type === 'function' || type === 'custom') {
    return { requested, mode: { functionName: nameOfTool(requested, 'tool_choice', toolbox) } };
  }
  if (type === 'allowed_tools') return readAllowed(requested, tools);
  const hosted = hostedKindOf(type);
  if (hosted === webSearchKind && webSearch !== undefined) return { requested, mode: 'auto', webSearch: 'forced' };
  if (hosted !== undefined) refuseForced('tool_choice', [hosted]);
  throw unsupportedParameter('tool_choice.type', `A 'tool_choice' of type '${type}' is not supported.`);
}

/** The request's search, as far as the choice allows it. */
export function chosenSearch({ webSearch }: Tools, choice: ToolChoice): WebSearch | undefined {
  if (webSearch === undefined || choice.webSearch === 'excluded') return undefined;
  const isForced = choice.webSearch === 'forced';
  return { ...webSearch, showsResults: true, ...(isForced && { isForced, requiredBy: 'tool_choice' }) };
}

/** To allow only a subset of the tools, the others are left out, which works with every provider. */
export function chatTools(toolbox: Toolbox, { mode, allowed }: ToolChoice): Pick<ChatRequest, 'tools' | 'tool_choice'> {
  const tools = toolbox.chatTools(allowed);
  // Providers refuse an empty list, and a choice without tools.
  if (tools.length === 0) return {};
  if (mode === 'auto') return { tools };
  const choice = typeof mode === 'string' ? mode : { type: 'function', function: { name: mode.functionName } };
  return { tools, tool_choice: choice };
}

function readAllowed(requested: unknown, { toolbox, webSearch }: Tools): ToolChoice {
  const { mode, tools } = checkValue(allowedTools, requested, 'tool_choice');
  if (tools.length === 0) throw invalidParameter('tool_choice.tools', 'an array of at least one tool');
  const hosted: string[] = [];
  const namespaces = new Set<string>();
  const allowed = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    const at = `tool_choice.tools[${index}]`;
    const { type } = checkValue(typed, tool, at);
    const kind = hostedKindOf(type);
    if (kind !== undefined) hosted.push(kind);
    else if (type === 'namespace') namespaces.add(nameOfNamespace(tool, at, toolbox));
    else if (type === 'tool_search') allowed.add(toolbox.searchName);
    else allowed.add(nameOfTool(tool, at, toolbox));
  }
  for (const name of toolbox.namesIn(namespaces)) allowed.add(name);
  const choice = { requested, mode, allowed };
  if (webSearch === undefined || !hosted.includes(webSearchKind)) {
    if (mode === 'required' && allowed.size === 0) refuseForced('tool_choice', hosted);
    return { ...choice, webSearch: 'excluded' };
  }
  return mode === 'required' && allowed.size === 0 ? { ...choice, webSearch: 'forced' } : choice;
}

function nameOfTool(tool: unknown, at: string, toolbox: Toolbox): string {
  const functionName = toolbox.functionName(checkValue(namedTool, tool, at));
  if (toolbox.has(functionName)) return functionName;
  throw invalidParameter(`${at}.name`, "the name of one of the 'tools'");
}

function nameOfNamespace(tool: unknown, at: string, toolbox: Toolbox): string {
  const { name } = checkValue(namedNamespace, tool, at);
  if (toolbox.hasNamespace(name)) return name;
  throw invalidParameter(`${at}.name`, "the name of one of the 'tools'");
}

function refuseRequired(removed: readonly string[]): never {
  if (removed.length > 0) refuseForced('tool_choice', removed);
  throw invalidParameter('tool_choice', "'auto' or 'none' when there are no 'tools'");
}
