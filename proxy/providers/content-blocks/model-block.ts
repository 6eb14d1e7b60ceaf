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

export type ModelBlock =
  | { readonly type: 'text'; readonly text?: Text }
  | { readonly type: 'thinking'; readonly thinking?: Text; readonly signature?: Text }
  | { readonly type: 'redacted_thinking'; readonly data?: Text }
  | ToolUse;

export type BlockDelta =
  | { readonly type: 'text_delta'; readonly text?: Text }
  | { readonly type: 'thinking_delta'; readonly thinking?: Text }
  | { readonly type: 'signature_delta'; readonly signature?: Text }
  | { readonly type: 'input_json_delta'; readonly partial_json?: Text };
