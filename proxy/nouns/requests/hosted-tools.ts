/**
 * Tools that a provider runs itself and bills per call. Those without a price are left out of the request, and the response
 * says so: agents send some of them by default and work without them. A request that forces such a tool is refused, because
 * without the tool it would not get what it requested. Only searches of the web can have a price.
 */
import { unsupportedParameter } from '../../../shared/http/parameter-errors.ts';
import type { Call, ChatCall } from '../call.ts';
import { asRecord } from '../json/record.ts';
import { readWebSearch, type WebSearch, webSearchKind } from './web-search.ts';

/** Names the kinds of tools that were left out, separated by commas. */
const removedToolsHeader = 'x-gateway-removed-tools';

/** OpenAI's, Anthropic's, then those of xAI, Google, Groq, Mistral, DashScope and OpenRouter. */
const hostedKinds: ReadonlySet<string> = new Set([
  ...['web_search', 'file_search', 'image_generation', 'code_interpreter', 'mcp', 'programmatic_tool_calling'],
  ...['web_fetch', 'code_execution', 'mcp_toolset', 'tool_search_tool_regex', 'tool_search_tool_bm25', 'advisor'],
  ...['x_search', 'live_search', 'collections_search', 'attachment_search'],
  ...['google_search', 'google_search_retrieval', 'google_maps', 'url_context'],
  ...['browser_search', 'browser_automation', 'web_search_premium', 'document_library', 'web_extractor'],
  ...['openrouter:web_search', 'openrouter:web_fetch', 'openrouter:image_generation', 'openrouter:datetime'],
]);

/** `web_search_preview_2025_03_11` and `web_search_20250305` are `web_search`. */
const edition = /(?:_preview)?(?:_\d{4}_?\d{2}_?\d{2})?$/;

/** The kind of a hosted tool, by its type; undefined for every other tool. */
export function hostedKindOf(type: unknown): string | undefined {
  if (typeof type !== 'string') return undefined;
  const kind = type.replace(edition, '');
  return hostedKinds.has(kind) ? kind : undefined;
}

/** Collects the hosted tools of one request. */
export class HostedTools {
  /** What asks for searches of the web, if something does. */
  webSearch: WebSearch | undefined;
  readonly #removed = new Set<string>();

  /** The kinds of the others. */
  get removed(): readonly string[] {
    return [...this.#removed];
  }

  /** Whether the tool is hosted. `at` is its place in the body. Of several searches, the first one is run. */
  takes(tool: unknown, at: string): boolean {
    const { type } = asRecord(tool);
    if (hostedKindOf(type) !== webSearchKind) return this.removes(type);
    this.webSearch ??= readWebSearch(tool, at);
    return true;
  }

  /** Whether a tool of this type is hosted, where even a search has no place. */
  removes(type: unknown): boolean {
    const kind = hostedKindOf(type);
    if (kind !== undefined) this.#removed.add(kind);
    return kind !== undefined;
  }
}

export interface SearchingCall extends ChatCall {
  readonly webSearch: WebSearch;
}

export function isSearching(call: Call): call is SearchingCall {
  return call.kind === 'chat' && call.webSearch !== undefined;
}

/** The call where no search is run. Throws GatewayError `unsupported_parameter` if it requires them. */
export function withoutWebSearch({ webSearch, removedTools = [], ...call }: ChatCall): ChatCall {
  if (webSearch?.requiredBy !== undefined) refuseForced(webSearch.requiredBy, [webSearchKind]);
  return { ...call, removedTools: [...new Set([...removedTools, webSearchKind])] };
}

/** Throws GatewayError `unsupported_parameter`: the tool is forced by the value of `param`. */
export function refuseForced(param: string, kinds: readonly string[]): never {
  throw unsupportedParameter(
    param,
    `'${param}' requires ${kinds.join(' or ')}, which providers run and bill per call: it is not available for this request.`,
  );
}

/** Tells the client what was left out. */
export function announceRemoved(headers: Headers, call: Call): void {
  const { removedTools = [] } = call.kind === 'chat' ? call : {};
  if (removedTools.length > 0) headers.set(removedToolsHeader, removedTools.join(', '));
}
