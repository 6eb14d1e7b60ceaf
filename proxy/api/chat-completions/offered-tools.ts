/** What a chat completion request offers to the model: the tools that the client runs, and searches of the web. */
import { unsupportedParameter } from '../../../shared/http/parameter-errors.ts';
import { isObject } from '../../../shared/members.ts';
import { patchObject } from '../../nouns/json/patch-object.ts';
import { asArray, asRecord, type JsonRecord } from '../../nouns/json/record.ts';
import type { ChatRequest, ChatTool } from '../../nouns/requests/chat-request.ts';
import { HostedTools, hostedKindOf, refuseForced } from '../../nouns/requests/hosted-tools.ts';
import { readWebSearch, type WebSearch, webSearchKind } from '../../nouns/requests/web-search.ts';
import { checkMembers, toolMembers } from './content/known-members.ts';

type ToolChoice = NonNullable<ChatRequest['tool_choice']>;

interface Offer {
  readonly body: ChatRequest;
  /** The body as JSON. */
  readonly text: string;
  readonly removedTools?: readonly string[];
  readonly webSearch?: WebSearch;
}

/**
 * Leaves out what the provider would run. Throws GatewayError `unsupported_parameter` if a tool without a price is forced, and
 * for tools of an unknown kind.
 */
export function withOfferedTools(body: ChatRequest, text: string): Offer {
  if (isObject(body.web_search_options)) {
    const { web_search_options: options, ...rest } = body;
    const webSearch = { ...readWebSearch(options, 'web_search_options'), requiredBy: 'web_search_options' };
    const offer = withOfferedTools(rest, patchObject(text, { web_search_options: undefined }));
    return { ...offer, webSearch: { ...webSearch, ...(offer.webSearch?.isForced && { isForced: true }) } };
  }
  if (!body.tools && !isObject(body.tool_choice)) return { body, text };
  const hosted = new HostedTools();
  const tools = (body.tools ?? []).filter((tool, index) => {
    const at = `tools[${index}]`;
    return !hosted.takes(tool, at) && isOffered(tool, at);
  });
  const { choice, search } = readChoice(body.tool_choice ?? 'auto', hosted.webSearch);
  const { removed, webSearch } = hosted;
  if (removed.length === 0 && webSearch === undefined) return { body, text };
  const isForced = search === 'forced' || (tools.length === 0 && choice === 'required');
  const offer = {
    removedTools: removed,
    ...(webSearch !== undefined &&
      search !== 'excluded' && {
        webSearch: { ...webSearch, ...(isForced && { isForced, requiredBy: 'tool_choice' }) },
      }),
  };
  if (tools.length === 0) {
    if (choice === 'required' && webSearch === undefined) refuseForced('tool_choice', removed);
    // Providers refuse an empty list, and settings of tools without any.
    const { tools: _tools, tool_choice: _choice, parallel_tool_calls: _parallel, ...rest } = body;
    const none = { tools: undefined, tool_choice: undefined, parallel_tool_calls: undefined };
    return { body: rest, text: patchObject(text, none), ...offer };
  }
  const changed = { tools, ...(body.tool_choice && { tool_choice: choice }) };
  const patch = Object.fromEntries(Object.entries(changed).map(([name, value]) => [name, JSON.stringify(value)]));
  return { body: { ...body, ...changed }, text: patchObject(text, patch), ...offer };
}

function isOffered(tool: ChatTool, at: string): true {
  checkMembers(tool, toolMembers, at);
  if (tool.type === 'function' || tool.type === 'custom') return true;
  throw unsupportedParameter(`${at}.type`, `This value of '${at}.type' is not supported. Use 'function' or 'custom'.`);
}

interface ReadChoice {
  /** Among the tools that the client runs. */
  readonly choice: ToolChoice;
  /** What it says of searching. */
  readonly search?: 'forced' | 'excluded';
}

/** A choice names a hosted tool by its type, or is a list of allowed tools with some hosted ones. */
function readChoice(choice: ToolChoice, webSearch: WebSearch | undefined): ReadChoice {
  if (!isObject(choice)) return choice === 'none' ? { choice, search: 'excluded' } : { choice };
  const chosen = hostedKindOf(choice.type);
  if (chosen === webSearchKind && webSearch !== undefined) return { choice: 'auto', search: 'forced' };
  if (chosen !== undefined) refuseForced('tool_choice', [chosen]);
  const { allowed_tools: allowed } = asRecord(choice);
  return isObject(allowed) ? readAllowed(choice, allowed, webSearch) : { choice };
}

function readAllowed(choice: ToolChoice & object, allowed: JsonRecord, webSearch: WebSearch | undefined): ReadChoice {
  const { mode, tools } = allowed;
  const types = asArray(tools).map((tool) => asRecord(tool).type);
  const allowsSearch = webSearch !== undefined && types.some((type) => hostedKindOf(type) === webSearchKind);
  const hosted = types.flatMap((type) => hostedKindOf(type) ?? []);
  const search = allowsSearch ? {} : { search: 'excluded' as const };
  if (hosted.length === 0) return { choice, ...search };
  const kept = asArray(tools).filter((tool) => hostedKindOf(asRecord(tool).type) === undefined);
  if (kept.length > 0) return { choice: { ...choice, ...{ allowed_tools: { ...allowed, tools: kept } } }, ...search };
  if (mode !== 'required') return { choice: 'none', ...search };
  return allowsSearch ? { choice: 'none', search: 'forced' } : refuseForced('tool_choice', hosted);
}
