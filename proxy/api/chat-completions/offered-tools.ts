/** The tools of a chat completion request that the model is offered: those that the client runs. */
import { unsupportedParameter } from '../../../shared/http/parameter-errors.ts';
import { isObject } from '../../../shared/members.ts';
import { patchObject } from '../../nouns/json/patch-object.ts';
import { asArray, asRecord } from '../../nouns/json/record.ts';
import type { ChatRequest, ChatTool } from '../../nouns/requests/chat-request.ts';
import { hostedKindOf, RemovedTools, refuseForced } from '../../nouns/requests/hosted-tools.ts';
import { checkMembers, toolMembers } from './content/known-members.ts';

type ToolChoice = NonNullable<ChatRequest['tool_choice']>;

interface Offer {
  readonly body: ChatRequest;
  /** The body as JSON. */
  readonly text: string;
  readonly removedTools?: readonly string[];
}

/**
 * Leaves out the tools that the provider would run. Throws GatewayError `unsupported_parameter` if one of them is forced,
 * and for tools of an unknown kind.
 */
export function withOfferedTools(body: ChatRequest, text: string): Offer {
  if (!body.tools && !isObject(body.tool_choice)) return { body, text };
  const removed = new RemovedTools();
  const tools = (body.tools ?? []).filter((tool, index) => !removed.takes(tool.type) && isOffered(tool, index));
  const choice = choiceWithoutHosted(body.tool_choice ?? 'auto');
  const removedTools = removed.kinds;
  if (removedTools.length === 0) return { body, text };
  if (tools.length === 0) {
    if (choice === 'required') refuseForced('tool_choice', removedTools);
    // Providers refuse an empty list, and settings of tools without any.
    const { tools: _tools, tool_choice: _choice, parallel_tool_calls: _parallel, ...rest } = body;
    const none = { tools: undefined, tool_choice: undefined, parallel_tool_calls: undefined };
    return { body: rest, text: patchObject(text, none), removedTools };
  }
  const changed = { tools, ...(body.tool_choice && { tool_choice: choice }) };
  const patch = Object.fromEntries(Object.entries(changed).map(([name, value]) => [name, JSON.stringify(value)]));
  return { body: { ...body, ...changed }, text: patchObject(text, patch), removedTools };
}

function isOffered(tool: ChatTool, index: number): true {
  const at = `tools[${index}]`;
  checkMembers(tool, toolMembers, at);
  if (tool.type === 'function' || tool.type === 'custom') return true;
  throw unsupportedParameter(`${at}.type`, `This value of '${at}.type' is not supported. Use 'function' or 'custom'.`);
}

/** A choice names a hosted tool by its type, or is a list of allowed tools with some hosted ones. */
function choiceWithoutHosted(choice: ToolChoice): ToolChoice {
  if (!isObject(choice)) return choice;
  const chosen = hostedKindOf(choice.type);
  if (chosen !== undefined) refuseForced('tool_choice', [chosen]);
  const allowed = asRecord(asRecord(choice).allowed_tools);
  const { mode, tools } = allowed;
  const removed = new RemovedTools();
  const kept = asArray(tools).filter((tool) => !removed.takes(asRecord(tool).type));
  if (removed.kinds.length === 0) return choice;
  if (kept.length > 0) return { ...choice, ...{ allowed_tools: { ...allowed, tools: kept } } };
  if (mode === 'required') refuseForced('tool_choice', removed.kinds);
  return 'none';
}
