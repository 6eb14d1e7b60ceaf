/**
 * The chat completion and its chunks as adapters return them: the part that dialects read. Beyond OpenAI's fields there
 * are `reasoning_content` (DeepSeek's name, which clients know) and `thinking_blocks` (Anthropic's signed thinking,
 * which its models need back unchanged).
 */

export interface ThinkingBlock {
  readonly type: 'thinking' | 'redacted_thinking';
  readonly thinking?: string;
  readonly signature?: string;
  readonly data?: string;
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call';

export interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
  readonly extra_content?: unknown;
}

/** The first chunk of a call has its id and name, the others only arguments. */
export interface ToolCallDelta {
  readonly index: number;
  readonly id?: string;
  readonly type?: 'function';
  readonly function?: { readonly name?: string; readonly arguments?: string };
  readonly extra_content?: unknown;
}

export interface ChatDelta {
  readonly role?: 'assistant';
  readonly content?: string | null;
  readonly refusal?: string | null;
  readonly reasoning_content?: string | null;
  readonly thinking_blocks?: readonly ThinkingBlock[];
  readonly tool_calls?: readonly ToolCallDelta[];
}

export interface ChatChunk {
  readonly id: string;
  readonly object: 'chat.completion.chunk';
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly delta: ChatDelta;
    readonly finish_reason: FinishReason | null;
    readonly logprobs?: unknown;
  }[];
}

export interface ChatCompletion {
  readonly id: string;
  readonly object: 'chat.completion';
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly message: {
      readonly role: 'assistant';
      readonly content: string | null;
      readonly refusal: string | null;
      readonly reasoning_content?: string | null;
      readonly thinking_blocks?: readonly ThinkingBlock[];
      readonly tool_calls?: readonly ToolCall[];
    };
    readonly finish_reason: FinishReason;
    readonly logprobs: unknown;
  }[];
}
