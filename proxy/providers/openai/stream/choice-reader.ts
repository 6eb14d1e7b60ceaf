/** What makes the choices of a streamed chunk those of our interface; one for each kind of answer. */
import type { JsonRecord } from '../../../json/record.ts';

export interface ReadChoices {
  /** The choices of each chunk for the client: one chunk for most, several where a chunk has to be divided. */
  readonly chunks: readonly (readonly JsonRecord[])[];
  /** What the model has generated in it. */
  readonly generated: readonly string[];
  /** Another chunk that differs only in what was generated would be read the same way, whatever was read between. */
  readonly repeatable: boolean;
}

export interface ChoiceReader {
  /** Throws UpstreamFailure where a choice was given up. */
  read(choices: readonly unknown[]): ReadChoices;
  /** Every choice that has begun has ended, and there was one. */
  readonly complete: boolean;
  /** The last deltas of the choices that have not ended, as if they had reached their limit. */
  cutShort(): JsonRecord[];
}
