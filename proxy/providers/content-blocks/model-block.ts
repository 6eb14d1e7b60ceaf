/**
 * The content blocks of responses in Anthropic's Messages and Bedrock's Converse, whole and in the chunks of a stream.
 * Members that a provider leaves out are null or missing.
 */

type Text = string | null | undefined;

export interface ToolUse {
  readonly type: 'tool_use';
  readonly id?: Text;
  readonly name?: Text;
  readonly input?: unknown;
}

/** What it is cited from is read where it is returned. */
export interface ModelText {
  readonly type: 'text';
  readonly text?: Text;
  readonly citations?: unknown;
}

/** A tool that the provider runs, such as a search of the web. */
export interface ServerToolUse {
  readonly type: 'server_tool_use';
  readonly id?: unknown;
  readonly name?: unknown;
  readonly input?: unknown;
}

/** `content` is a list, or an error. */
export interface WebSearchResult {
  readonly type: 'web_search_tool_result';
  readonly tool_use_id?: unknown;
  readonly content?: unknown;
}

export type ModelBlock =
  | ModelText
  | ServerToolUse
  | WebSearchResult
  | { readonly type: 'thinking'; readonly thinking?: Text; readonly signature?: Text }
  | { readonly type: 'redacted_thinking'; readonly data?: Text }
  | ToolUse;

export type BlockDelta =
  | { readonly type: 'text_delta'; readonly text?: Text }
  | { readonly type: 'citations_delta'; readonly citation?: unknown }
  | { readonly type: 'thinking_delta'; readonly thinking?: Text }
  | { readonly type: 'signature_delta'; readonly signature?: Text }
  | { readonly type: 'input_json_delta'; readonly partial_json?: Text };
