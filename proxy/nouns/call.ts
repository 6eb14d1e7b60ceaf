/** What the relay needs to know about a request of any endpoint. */
import type { ImageVariant } from '../../shared/usage/image-prices.ts';
import type { ChatRequest } from './requests/chat-request.ts';

export interface Call {
  /** The model's id in the catalogue. */
  readonly model: string;
  readonly stream: boolean;
  /** Whether the client wants the usage in a last streamed chunk. */
  readonly includeUsage: boolean;
  /** The request's `n`. */
  readonly n: number;
  /** Responses to generate in total. Each may use the output cap. */
  readonly choices: number;
  /** The client's own cap on output tokens, if any. */
  readonly outputCap: number | undefined;
  /**
   * The body in the format of our own endpoint for this kind of model, forwarded with as few changes as possible. No
   * object in it has duplicate names. A large body that is passed on is bytes.
   */
  readonly text: string | Buffer<ArrayBuffer>;
  /** The same body, parsed. Translations to other protocols start from it. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The size of the request, an upper bound of the prompt's tokens. */
  readonly bytes: number;
  /** Images, audio and files, which may count for more tokens than the bytes that name them. */
  readonly mediaParts: number;
  /** Whether one of them is video, audio or a document, which may fill the context regardless of its size in bytes. */
  readonly hasLongMedia?: boolean;
  /** Whether there are earlier tool calls, or functions in OpenAI's older format: providers add instructions then. */
  readonly hasCalls?: boolean;
  /** The kinds of tools that were left out, because the provider would run them. */
  readonly removedTools?: readonly string[] | undefined;
  /** The prompt's texts. */
  readonly promptTexts: readonly string[];
  /** How many prompt tokens were sent as numbers instead of text. */
  readonly promptTokenIds?: number;
  /** Where the body asks for a cache write of an hour, which not every model has a price for. */
  readonly longCacheWriteAt?: string;
  /** Images are wanted, `n` of them, of the size and quality that have this price. */
  readonly image?: ImageVariant;
  /** How many prompts these are, each of which may fill the model's context; 1 where not said. */
  readonly prompts?: number;
}

/** A call to a chat model, whose body is a chat request. */
export interface ChatCall extends Call {
  readonly body: ChatRequest;
}
