/**
 * What the gateway writes of Bedrock's Converse requests:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */

/** Base64. */
interface Bytes {
  readonly bytes: string;
}

export interface CachePoint {
  readonly cachePoint: { readonly type: 'default' };
}

export interface TextBlock {
  text: string;
}

export type MediaBlock =
  | { readonly image: { readonly format: string; readonly source: Bytes } }
  | { readonly document: { readonly format: string; readonly name: string; readonly source: Bytes } };

export interface ToolUseBlock {
  readonly toolUse: { readonly toolUseId: string; readonly name: string; readonly input: unknown };
}

export interface ToolResultBlock {
  readonly toolResult: { readonly toolUseId: string; readonly content: readonly (TextBlock | MediaBlock)[] };
}

export interface ReasoningBlock {
  readonly reasoningContent:
    | { readonly reasoningText: { readonly text: string; readonly signature: string } }
    | { readonly redactedContent: string };
}

export type Block = TextBlock | MediaBlock | ToolUseBlock | ToolResultBlock | ReasoningBlock | CachePoint;

export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: Block[];
}

export interface Conversation {
  readonly system: readonly (TextBlock | CachePoint)[];
  /** Roles alternate, starting with `user`. */
  readonly messages: readonly Turn[];
}

export interface ToolSpec {
  readonly toolSpec: {
    readonly name: string;
    readonly description?: string;
    readonly inputSchema: { readonly json: Readonly<Record<string, unknown>> };
  };
}

export interface ToolConfig {
  readonly tools: readonly (ToolSpec | CachePoint)[];
  /** Without it, the model chooses. */
  readonly toolChoice?: { readonly any: object } | { readonly tool: { readonly name: string } };
}

/** Caches for five minutes, which is what `cacheWrite` prices. */
export const cachePoint: CachePoint = { cachePoint: { type: 'default' } };
