/** What the relay needs to know of a request, whatever endpoint it came in by. */
import type { ImageVariant } from '../../shared/usage/image-prices.ts';
import type { ChatRequest } from './chat-request.ts';

export interface Call {
  /** The model's id in the catalogue. */
  readonly model: string;
  readonly stream: boolean;
  /** The client wants the usage as a last streamed chunk. */
  readonly includeUsage: boolean;
  /** What the client asked for as `n`. */
  readonly n: number;
  /** Answers to generate in all; each may use the output cap. */
  readonly choices: number;
  /** The client's own cap on output tokens, if any. */
  readonly outputCap: number | undefined;
  /**
   * The body in the form of our own endpoint for this kind of model, forwarded with as few changes as possible. No object in
   * it has the same name twice.
   */
  readonly text: string;
  /** The same, read: what a translation to another protocol starts from. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The size of what came in, an upper bound of the prompt's tokens. */
  readonly bytes: number;
  /** Pictures, recordings and files, which may count for more tokens than the bytes that name them. */
  readonly mediaParts: number;
  /** One of them is video, audio or a document, which may fill the context whatever its size in bytes is. */
  readonly hasLongMedia?: boolean;
  /** There are earlier calls of tools, or functions in OpenAI's older form: providers add instructions to them. */
  readonly hasCalls?: boolean;
  /** The prompt's texts. */
  readonly promptTexts: readonly string[];
  /** Tokens of the prompt that came as numbers instead of text. */
  readonly promptTokenIds?: number;
  /** Images are wanted, `n` of them, of the size and quality that have this price. */
  readonly image?: ImageVariant;
  /** How many prompts these are, each of which may fill the model's context; 1 where not said. */
  readonly prompts?: number;
}

/** A call for a chat model: its body has been read as a chat request. */
export interface ChatCall extends Call {
  readonly body: ChatRequest;
}
