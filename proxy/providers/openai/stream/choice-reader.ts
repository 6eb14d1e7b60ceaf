/** Normalizes the choices of a streamed chunk; one implementation per kind of response. */
import type { JsonRecord } from '../../../nouns/json/record.ts';

/** A text that the model has generated, or a part of it. */
export interface GeneratedText {
  /** The choice's index. */
  readonly choice: number;
  readonly text: string;
}

export interface ReadChoices {
  /** The choices of each chunk for the client: usually one chunk, several if a chunk has to be split. */
  readonly chunks: readonly (readonly JsonRecord[])[];
  readonly generated: readonly GeneratedText[];
  /** In base64. */
  readonly audio?: readonly string[];
  /** Whether a later chunk that differs only in its generated text would be read the same way. */
  readonly repeatable: boolean;
}

export interface ChoiceReader {
  /** Throws UpstreamFailure if a choice failed. */
  read(choices: readonly unknown[]): ReadChoices;
  /** Whether there was a choice, and all of them have ended. */
  readonly complete: boolean;
  /** The last deltas of the open choices, as if they had reached their limit. */
  cutShort(): JsonRecord[];
}
