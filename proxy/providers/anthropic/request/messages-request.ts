/** What the gateway writes of Anthropic's Messages requests: https://platform.claude.com/docs/en/api/messages */
import type { SearchBlock } from '../../../nouns/chat-completion.ts';
import type { SearchFilters } from '../../../nouns/requests/web-search.ts';

export interface CacheControl {
  readonly type: 'ephemeral';
  /** Five minutes if absent. */
  readonly ttl?: '1h';
}

interface Cacheable {
  cache_control?: CacheControl;
}

export interface TextBlock extends Cacheable {
  readonly type: 'text';
  text: string;
  /** In a turn in which the web was searched. */
  readonly citations?: readonly unknown[];
}

export type MediaSource =
  | { readonly type: 'base64'; readonly media_type: string; readonly data: string }
  | { readonly type: 'text'; readonly media_type: 'text/plain'; readonly data: string }
  | { readonly type: 'url'; readonly url: string };

export interface MediaBlock extends Cacheable {
  readonly type: 'image' | 'document';
  readonly source: MediaSource;
  readonly title?: string;
}

export interface ToolUseBlock extends Cacheable {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface ToolResultBlock extends Cacheable {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content?: readonly (TextBlock | MediaBlock)[];
}

export type SignedThought =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string };

export type Block = SearchBlock | TextBlock | MediaBlock | ToolUseBlock | ToolResultBlock | SignedThought;

export interface Turn {
  readonly role: 'user' | 'assistant';
  content: Block[];
}

export interface Conversation {
  readonly system: readonly TextBlock[];
  /** Roles alternate, starting with `user`. */
  readonly turns: readonly Turn[];
}

export interface MessagesTool extends Cacheable {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

/** Searches of the web that Anthropic runs. */
export interface SearchTool extends SearchFilters {
  readonly type: 'web_search_20250305';
  readonly name: 'web_search';
  readonly max_uses: number;
}

export type MessagesToolChoice =
  | { readonly type: 'none' }
  | { readonly type: 'auto' | 'any'; readonly disable_parallel_tool_use?: true }
  | { readonly type: 'tool'; readonly name: string; readonly disable_parallel_tool_use?: true };
