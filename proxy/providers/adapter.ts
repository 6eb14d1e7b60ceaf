/**
 * An adapter translates between our API and one provider protocol. Adapters do no I/O, so each can be tested on
 * recorded bytes. Their output is in the format of our own endpoint for the kind of model: a chat completion, a text
 * completion, an embedding list, a list of images, or audio. Only an adapter for the API format that the client called passes the
 * response through.
 *
 * Two things are outside of an adapter: splitting bytes into whole events (`Framing`), which it only selects, and
 * authentication beyond a key in a header (`SignRequest`).
 */
import type { ModelKind } from '../../shared/catalogue/model-kinds.ts';
import type { GatewayError } from '../../shared/errors.ts';
import type { BillableUnit, UnitCounts } from '../../shared/usage/billable-units.ts';
import type { Call, CallOf } from '../nouns/call.ts';
import type { Framing } from '../nouns/framing/framing.ts';
import type { ResponseHeaders } from '../nouns/http-response.ts';
import type { UpstreamFailure } from '../nouns/upstream-failure.ts';
import type { RenderedCharge, Usage } from '../nouns/usage.ts';
import type { Deployment } from '../pricing/catalogue.ts';
import type { TextScale } from '../pricing/text-scale.ts';
import type { BatchProtocol } from './batch-api.ts';

export interface Adapter {
  /** The operations of the protocol, by kind of model. */
  readonly operations: { readonly [Kind in ModelKind]?: Operation<CallOf<Kind>> };
  /** Reads an error response, in any known shape of this protocol. */
  readFailure(body: string, headers: ResponseHeaders): ProviderFailure;
  /** Splits one streamed response into what `ResponseStream.push` takes. */
  openFraming(): Framing;
  /** Set if the provider runs batches itself. */
  readonly batches?: BatchProtocol;
}

export interface Operation<Of extends Call = Call> {
  /** Whether it can serve the request at all; missing if it can serve every request for this kind of model. */
  serves?(call: Of): boolean;
  /** The size of the prompt that `buildRequest` would send, regardless of the output cap. Throws GatewayError as it does. */
  measurePrompt(call: Of, deployment: Deployment): PromptSize;
  /** Throws GatewayError `unsupported_parameter` for what the protocol does not support. */
  buildRequest(call: Of, target: UpstreamTarget): UpstreamRequest;
  /** Throws UpstreamFailure if the text is not a valid response. */
  readBody(text: string, call: Of, deployment: Deployment): UpstreamBody;
  /** Missing if the operation cannot be streamed. */
  openStream?(call: Of, deployment: Deployment, opening?: StreamOpening): ResponseStream;
  /** Set if the provider takes fewer inputs at a time than a request may have. */
  readonly division?: Division<Of>;
}

/** One request of a client as several to its provider, which are sent one after the other: all of them, or none has a response. */
export interface Division<Of extends Call = Call> {
  /** How many requests there are, at least 1. */
  countOf(call: Of): number;
  /** The call of one of them, from 0. */
  partOf(call: Of, index: number): Of;
  /** The responses in order, as one. Throws UpstreamFailure if one of them is not valid. */
  readBodies(texts: readonly string[], call: Of): UpstreamBody;
}

/** What is known when a response begins. */
export interface StreamOpening {
  /** Weighs the output. */
  readonly scale?: TextScale | undefined;
  /** Of the provider's response. */
  readonly contentType?: string | undefined;
  /** As in the request. */
  readonly outputCap?: number;
}

/** The size of a prompt as it is sent to a provider, for the hold. */
export interface PromptSize {
  /** An upper bound of its tokens, except for media. */
  readonly bytes: number;
  /** Whether some media are counted by the page or the second, and may fill the context. */
  readonly hasLongMedia: boolean;
}

export interface ProviderFailure {
  readonly message: string | undefined;
  /** If the body says when to retry. */
  readonly retryAfterMs?: number;
  /** The error is about our key or account, although the status blames the request. */
  readonly refusesGateway?: boolean;
  /** The provider does not have the model, although the status blames the request. */
  readonly lacksModel?: boolean;
  /** The actual status of the failure, if the response's differs. */
  readonly status?: number | undefined;
}

export interface UpstreamRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** That of a large request is a blob. Parts are sent one after the other, without being joined before. */
  readonly body: string | Blob | readonly (string | Uint8Array)[];
}

/** Undefined if it is not only text. */
export function textsOf(body: UpstreamRequest['body']): readonly string[] | undefined {
  if (typeof body === 'string') return [body];
  if (body instanceof Blob) return undefined;
  return body.every((part) => typeof part === 'string') ? body : undefined;
}

/** The texts in one. Undefined if it is not only text. */
export function textOf(body: UpstreamRequest['body']): string | undefined {
  return textsOf(body)?.join('');
}

/** Copies texts and parts. */
export function blobOf(body: UpstreamRequest['body']): Blob {
  if (body instanceof Blob) return body;
  return new Blob(typeof body === 'string' ? [body] : ([...body] as (string | Uint8Array<ArrayBuffer>)[]));
}

/** Adds a signature to the request. The request must not be changed afterwards. */
export type SignRequest = (request: UpstreamRequest) => Promise<UpstreamRequest>;

type PromptCounts = Pick<UnitCounts, 'promptTokens'> & Partial<UnitCounts>;

/** What is counted by the piece, such as images. */
export interface MadeUnits {
  readonly units: Usage;
  /** In addition to `units`. Undefined if the provider did not report it, and it is to be weighed. */
  readonly prompt?: PromptCounts | undefined;
  /** What the provider did not report, other than the prompt's tokens that are to be weighed. */
  readonly estimated?: readonly BillableUnit[];
}

export interface UpstreamBody {
  /** Null if the provider reported none. */
  readonly usage: Usage | null;
  /** Instead of the usage. */
  readonly made?: MadeUnits;
  /** The generated texts, for an estimate. */
  readonly outputTexts: readonly string[];
  /** Of the generated audio, estimated. */
  readonly audioTokens?: number;
  /** Searches of the web that it shows, if it has no usage. */
  readonly webSearches?: number;
  /** Set if `render` returns the response in the API format that the client called, instead of our own endpoint's format. */
  readonly isTranslated?: true;
  /** The body for the client, including the cost. */
  render(charge: RenderedCharge): string;
  /** That of the body, if it is not JSON. */
  readonly mediaType?: string | undefined;
}

/** One streamed response on its way from the provider's bytes to the client's. */
export interface ResponseStream {
  /** The type of the output, if it is not server-sent events. Such a response has no place for pings and errors. */
  readonly mediaType?: string | undefined;
  /** How the provider's bytes are split, if not as usual for its protocol. */
  readonly framing?: Framing | undefined;
  /** Takes the next whole events and returns the bytes for the client, if any. Throws UpstreamFailure. */
  push(bytes: Uint8Array): Uint8Array | undefined;
  /** The provider has reported that the response is complete. */
  readonly complete: boolean;
  /** Nothing more follows. */
  readonly ended: boolean;
  /** Why the stream ended, if that became known together with the last output. */
  readonly failure?: UpstreamFailure | undefined;
  /** Null until the provider has reported it. */
  readonly usage: Usage | null;
  /** The provider has not reported the usage, and there is a better estimate than of its texts. */
  readonly isUsageEstimated?: boolean;
  /** The estimated output tokens so far. Counts the latest word, so it is not read for each chunk. */
  readonly deliveredTokens: number;
  /** At least as many, at next to no cost. */
  readonly deliveredTokensMax: number;
  /** How many of them are audio. */
  readonly deliveredAudioTokens?: number;
  /** The searches of the web that it has shown so far. */
  readonly webSearches?: number;
  /** Ends the response before the provider does, as if it had reached its limit. */
  cutShort(): string;
  /** The last output: the usage, if the client wants it, and the end mark. */
  close(charge: RenderedCharge): string;
  /** The event that says why the stream failed. Set if the stream is in the API format that the client called. */
  renderError?(error: GatewayError): string;
}

export interface UpstreamTarget {
  readonly deployment: Deployment;
  readonly apiKey: string | undefined;
  /** The most output tokens of one choice. */
  readonly outputCap: number;
}
