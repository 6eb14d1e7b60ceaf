/**
 * What an adapter is: the translation between our interface and one provider protocol. Adapters do no I/O, so every
 * one of them can be tested on recorded bytes. What they give out is always in the form of our own endpoint for the
 * kind of model: a chat completion, a text completion, an embedding list, a list of images.
 *
 * Two things are not its business: how bytes become whole events (`Framing`), which it only names, and how a request is
 * authenticated beyond a key in a header (`SignRequest`).
 */
import type { ModelKind } from '../../shared/catalogue/published-catalogue.ts';
import type { Deployment } from '../catalogue/catalogue.ts';
import type { TextScale } from '../metering/text-scale.ts';
import type { Usage } from '../metering/usage.ts';
import type { Call } from '../request/call.ts';
import type { Framing } from '../upstream/framing/framing.ts';
import type { UpstreamFailure } from '../upstream/upstream-failure.ts';

export interface Adapter {
  /** What the protocol can do for each kind of model. */
  readonly operations: { readonly [Kind in ModelKind]?: Operation };
  /** What an error answer says, in any of the shapes that are known of this protocol. */
  readFailure(body: string, headers: Headers): ProviderFailure;
  /** Cuts one streamed answer into what `AnswerStream.push` takes. */
  openFraming(): Framing;
}

export interface Operation {
  /** The size of the prompt that `buildRequest` would send, whatever the output cap is. Throws GatewayError as it does. */
  measurePrompt(call: Call, deployment: Deployment): PromptSize;
  /** Throws GatewayError `unsupported_parameter` where the protocol cannot say what the client asks for. */
  buildRequest(call: Call, target: UpstreamTarget): UpstreamRequest;
  /** Throws UpstreamFailure where the text is no answer. */
  readBody(text: string, call: Call, deployment: Deployment): UpstreamBody;
  /** Missing where nothing is streamed. `scale` weighs what is generated. */
  openStream?(call: Call, deployment: Deployment, scale?: TextScale): AnswerStream;
}

/** Of a prompt as it is sent to a provider, for the hold. */
export interface PromptSize {
  /** An upper bound of its tokens, but for media. */
  readonly bytes: number;
  /** Some of its media are counted by the page or the second, and may fill the context. */
  readonly hasLongMedia: boolean;
}

export interface ProviderFailure {
  readonly message: string | undefined;
  /** Where the body says when to come again. */
  readonly retryAfterMs?: number;
  /** It speaks of our key or our account, though the status blames the request. */
  readonly refusesGateway?: boolean;
  /** It does not have the model, though the status blames the request. */
  readonly lacksModel?: boolean;
  /** What the failure means, where the protocol's own status means something else. */
  readonly status?: number | undefined;
}

export interface UpstreamRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Returns the request with what authenticates it. What is signed is what leaves, so nothing is changed after it. */
export type SignRequest = (request: UpstreamRequest) => Promise<UpstreamRequest>;

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
  /** Takes the next whole events and returns the bytes for the client, if any. Throws UpstreamFailure. */
  push(bytes: Uint8Array): Uint8Array | undefined;
  /** The provider has said that the answer is complete. */
  readonly complete: boolean;
  /** Nothing more is to come. */
  readonly ended: boolean;
  /** Why nothing more is to come, where that became known together with the last output. */
  readonly failure?: UpstreamFailure | undefined;
  /** Null until the provider has reported it. */
  readonly usage: Usage | null;
  /** The output tokens that have been delivered, as weighed. */
  readonly deliveredTokens: number;
  /** Ends the answer before the provider did, as if it had reached its limit. */
  cutShort(): string;
  /** What comes last: the usage if the client wants it, and the end mark. */
  close(charge: RenderedCharge): string;
}

export interface UpstreamTarget {
  readonly deployment: Deployment;
  readonly apiKey: string | undefined;
  /** Output tokens of one choice. */
  readonly outputCap: number;
}
