/**
 * The batches that providers run themselves, within a day and at a lower price than single requests. How each protocol names and
 * writes them is here and in its adapter; the calls themselves are in `proxy/batches`.
 */
import { asText, type JsonRecord } from '../nouns/json/record.ts';
import { UpstreamFailure } from '../nouns/upstream-failure.ts';
import type { Deployment } from '../pricing/catalogue.ts';

/** One request of a batch. */
export interface BatchLine {
  /** By which its response is found. */
  readonly number: number;
  /** To which it would be sent on its own. */
  readonly url: string;
  /** JSON text. */
  readonly body: string;
}

export interface LineResponse {
  readonly number: number;
  readonly status: number;
  /** JSON text. */
  readonly body: string;
}

/** Calls of one provider, at paths below its address. Each has a time limit, and throws UpstreamFailure. */
export interface BatchCalls {
  get(path: string): Promise<JsonRecord>;
  post(path: string, body?: string | FormData): Promise<JsonRecord>;
  /** Does nothing if there is no such object. */
  remove(path: string): Promise<void>;
  /** The lines of a file. */
  lines(path: string): AsyncIterable<string>;
}

export interface BatchApi {
  /** Resolves with the id of the batch. */
  create(lines: readonly BatchLine[]): Promise<string>;
  /** Whether it has ended, however. */
  hasEnded(id: string): Promise<boolean>;
  /** Does nothing if it has ended. */
  cancel(id: string): Promise<void>;
  /** Of a batch that has ended; lines that were not run, or failed without a response, are not among them. */
  responses(id: string): AsyncIterable<LineResponse>;
  /** Removes what the provider keeps of a batch that has ended. */
  remove(id: string): Promise<void>;
}

export interface BatchProtocol {
  /** Of calls that are not requests to a model. */
  headers(access: {
    readonly deployment: Deployment;
    readonly apiKey: string | undefined;
  }): Readonly<Record<string, string>>;
  open(calls: BatchCalls): BatchApi;
}

/** Of what a provider has made. Paths are made of it, so it must be a segment of one. Throws UpstreamFailure. */
export function idOf({ id }: JsonRecord): string {
  const text = asText(id);
  if (text !== undefined && /^[\w-]+$/.test(text)) return text;
  throw new UpstreamFailure('malformed', 'The provider returned no id.');
}
