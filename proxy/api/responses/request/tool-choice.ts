/** `tool_choice`: which of the tools the model may or must call. */
import { checkValue } from '../../../../shared/http/check-value.ts';
import { invalidParameter, unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import type { ChatRequest } from '../../../nouns/requests/chat-request.ts';
import { hostedKindOf, RemovedTools, refuseForced } from '../../../nouns/requests/hosted-tools.ts';
import { typed } from '../../../nouns/requests/responses-request.ts';
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
}

/** Throws GatewayError, also if a tool is forced that was left out. */
export function readToolChoice(requested: unknown, { toolbox, removed }: Tools): ToolChoice {
  const option = options.find((candidate) => candidate === (requested ?? 'auto'));
  if (option !== undefined) {
    if (option === 'required' && toolbox.isEmpty) refuseRequired(removed);
    return { requested: option, mode: option };
  }
  const { type } = checkValue(typed, requested, 'tool_choice');
  if (type === 'function' || type === 'custom') {
    return { requested, mode: { functionName: nameOfTool(requested, 'tool_choice', toolbox) } };
  }
  if (type === 'allowed_tools') return readAllowed(requested, toolbox);
  const hosted = hostedKindOf(type);
  if (hosted !== undefined) refuseForced('tool_choice', [hosted]);
  throw unsupportedParameter('tool_choice.type', `A 'tool_choice' of type '${type}' is not supported.`);
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

function readAllowed(requested: unknown, toolbox: Toolbox): ToolChoice {
  const { mode, tools } = checkValue(allowedTools, requested, 'tool_choice');
  if (tools.length === 0) throw invalidParameter('tool_choice.tools', 'an array of at least one tool');
  const removed = new RemovedTools();
  const namespaces = new Set<string>();
  const allowed = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    const at = `tool_choice.tools[${index}]`;
    const { type } = checkValue(typed, tool, at);
    if (removed.takes(type)) continue;
    if (type === 'namespace') namespaces.add(nameOfNamespace(tool, at, toolbox));
    else if (type === 'tool_search') allowed.add(toolbox.searchName);
    else allowed.add(nameOfTool(tool, at, toolbox));
  }
  for (const name of toolbox.namesIn(namespaces)) allowed.add(name);
  if (mode === 'required' && allowed.size === 0) refuseForced('tool_choice', removed.kinds);
  return { requested, mode, allowed };
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
