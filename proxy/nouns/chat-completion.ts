/**
 * The chat completion and its chunks as adapters return them: the part that dialects read. Beyond OpenAI's fields there
 * are `reasoning_content` (DeepSeek's name, which clients know), `thinking_blocks` (Anthropic's signed thinking, which its
 * models need back unchanged), and what only dialects read of searches and of the order of a turn.
 */

export interface ThinkingBlock {
  readonly type: 'thinking' | 'redacted_thinking';
  readonly thinking?: string;
  readonly signature?: string;
  readonly data?: string;
}

/** A search of the web by Anthropic, or what it found, which its models need back unchanged. */
export type SearchBlock =
  | { readonly type: 'server_tool_use'; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: 'web_search_tool_result'; readonly tool_use_id: string; readonly content: unknown };

/** A part of the text, with what Anthropic says that it is cited from. */
export interface CitedText {
  readonly type: 'text';
  readonly text: string;
  readonly citations?: readonly unknown[];
}

/** A call of a function, by its index among those of the message. */
export interface CallPlace {
  readonly type: 'call';
  readonly index: number;
}

/** What a turn is made of. */
export type TurnBlock = CitedText | ThinkingBlock | SearchBlock | CallPlace;

/** What a part of the text is cited from. */
export interface Annotation {
  readonly type: 'url_citation';
  readonly url_citation: {
    readonly url: string;
    readonly title: string;
    /** Of the cited part within the message's text. */
    readonly start_index: number;
    readonly end_index: number;
  };
  /** As Anthropic writes it. Only where the call asks for what was searched. */
  readonly citation?: unknown;
}

/** The client may have the turn continued. Only where the call asks for what was searched. */
export type NativeFinishReason = 'pause_turn';

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
  /** Only where the call asks for them. */
  readonly search_blocks?: readonly SearchBlock[];
  readonly annotations?: readonly Annotation[];
  /** A part of the text ends, with its annotations. Only where the call asks for what was searched. */
  readonly text_ends?: true;
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
    readonly native_finish_reason?: NativeFinishReason;
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
      /** Only those that the turn begins with: a chat message has no place for others. */
      readonly thinking_blocks?: readonly ThinkingBlock[];
      /**
       * All of the turn in the order in which it was generated. Only where the client's API format keeps it, if it is another one
       * than that of a chat message, or if the call asks for what was searched.
       */
      readonly turn_blocks?: readonly TurnBlock[];
      readonly annotations?: readonly Annotation[];
      readonly tool_calls?: readonly ToolCall[];
    };
    readonly finish_reason: FinishReason;
    readonly native_finish_reason?: NativeFinishReason;
    readonly logprobs: unknown;
  }[];
}
