/** What the relay needs to know of a request, whatever endpoint it came in by. */
export interface Call {
  /** The model's id in the catalogue. */
  readonly model: string;
  readonly stream: boolean;
  /** The client wants the usage as a last streamed chunk. */
  readonly includeUsage: boolean;
  /** Choices to generate; each may use the output cap. */
  readonly choices: number;
  /** The client's own cap on output tokens, if any. */
  readonly outputCap: number | undefined;
  /** The body as it came, to be forwarded with as few changes as possible. */
  readonly text: string;
  /** Its size, an upper bound of the prompt's tokens. */
  readonly bytes: number;
  /** Pictures, recordings and files, which may count for more tokens than the bytes that name them. */
  readonly mediaParts: number;
  /** The prompt's texts, for an estimate where the provider reports no usage. */
  readonly promptTexts: readonly string[];
}
