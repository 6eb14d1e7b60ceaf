/**
 * What an adapter is: the translation between our interface and one provider protocol. Adapters do no I/O, so every
 * one of them can be tested on recorded bytes.
 */
import type { Deployment } from '../catalogue/catalogue.ts';
import type { Usage } from '../metering/usage.ts';
import type { Call } from '../request/call.ts';

export interface UpstreamRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface UpstreamBody {
  /** Null where the provider reported none. */
  readonly usage: Usage | null;
  /** The generated texts, for an estimate. */
  readonly outputTexts: readonly string[];
  /** The body for the client, with what it cost. */
  render(charge: RenderedCharge): string;
}

export interface RenderedCharge {
  readonly usage: Usage;
  /** USD as a decimal, ready to be a JSON number. */
  readonly costUsd: string;
}

/** One streamed answer on its way from the provider's bytes to the client's. */
export interface AnswerStream {
  /** Takes the next bytes and returns those for the client, if any. Throws UpstreamFailure. */
  push(bytes: Uint8Array): Uint8Array | undefined;
  /** The provider has said that the answer is complete. */
  readonly complete: boolean;
  /** Nothing more is to come. */
  readonly ended: boolean;
  /** Null until the provider has reported it. */
  readonly usage: Usage | null;
  /** A low estimate of the output tokens that have been delivered. */
  readonly deliveredTokens: number;
  /** Ends the answer before the provider did, as if it had reached its limit. */
  cutShort(): string;
  /** What comes last: the usage if the client wants it, and the end mark. */
  close(charge: RenderedCharge): string;
}

export interface Adapter {
  buildRequest(call: Call, target: UpstreamTarget): UpstreamRequest;
  /** Throws UpstreamFailure where the text is no answer. */
  readBody(text: string): UpstreamBody;
  openStream(call: Call): AnswerStream;
}

export interface UpstreamTarget {
  readonly deployment: Deployment;
  readonly apiKey: string | undefined;
  /** Output tokens of one choice. */
  readonly outputCap: number;
}
