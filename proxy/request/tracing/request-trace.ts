/**
 * The spans of one request: authenticate, reserve, each attempt at a deployment, the stream, and the settle. Names and
 * attributes follow OpenTelemetry's conventions for HTTP and generative AI. Attributes are ids, counts and codes: never a
 * prompt, a response, a key, or a message of an error, which may quote one of them.
 *
 * Most requests are not sampled. They have no trace, except those of a client that has one: it records nothing, and only
 * passes the client's trace on to the provider.
 */
import { type SpanContext, SpanKind, TraceFlags } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ModelKind } from '../../../shared/catalogue/model-kinds.ts';
import { GatewayError } from '../../../shared/errors.ts';
import { UpstreamFailure } from '../../nouns/upstream-failure.ts';
import type { Bill } from '../../pricing/bill.ts';
import type { Deployment, Model } from '../../pricing/catalogue.ts';
import type { UpstreamRequest } from '../../providers/adapter.ts';
import { type SpanAttributes, TimedSpan } from './timed-span.ts';

/** What all traces share. */
export interface SpanSink {
  readonly resource: Resource;
  newSpanId(): string;
  /** A span has ended. */
  take(span: TimedSpan): void;
}

export interface TraceOptions {
  readonly path: string;
  readonly requestId: string;
  /** Of the client, if it sent a `traceparent`. */
  readonly parent: SpanContext | undefined;
  readonly root: SpanContext;
  readonly sink: SpanSink;
}

const operations: Readonly<Record<ModelKind, string>> = {
  chat: 'chat',
  completion: 'text_completion',
  embedding: 'embeddings',
  image: 'generate_content',
  speech: 'generate_content',
  transcription: 'generate_content',
  moderation: 'moderation',
  rerank: 'rerank',
};

export class RequestTrace {
  readonly #sink: SpanSink;
  readonly #requestId: string;
  readonly #context: SpanContext;
  /** Undefined if the request is not sampled; then there is no other span either. */
  readonly #root: TimedSpan | undefined;
  readonly #authenticate: TimedSpan | undefined;
  #operation = '';
  #attempt: TimedSpan | undefined;
  #stream: TimedSpan | undefined;
  #isAuthenticated = false;
  #isStream = false;
  #isOver = false;

  constructor({ path, requestId, parent, root, sink }: TraceOptions) {
    this.#sink = sink;
    this.#requestId = requestId;
    this.#context = root;
    if ((root.traceFlags & TraceFlags.SAMPLED) === 0) return;
    this.#root = new TimedSpan({
      name: `POST ${path}`,
      kind: SpanKind.SERVER,
      context: root,
      parent,
      attributes: { 'gateway.request_id': requestId, 'http.request.method': 'POST', 'http.route': path },
      resource: sink.resource,
    });
    this.#authenticate = this.#begin('authenticate');
  }

  /** The key is known and the body is here. A request without them leaves no trace. */
  authenticated(): void {
    this.#isAuthenticated = true;
    this.#end(this.#authenticate);
  }

  describe({ id, kind }: Model, { stream }: { readonly stream: boolean }): void {
    this.#isStream = stream;
    if (this.#root === undefined) return;
    this.#operation = operations[kind];
    const { attributes } = this.#root;
    attributes['gen_ai.operation.name'] = this.#operation;
    attributes['gen_ai.request.model'] = id;
    attributes['gateway.stream'] = stream;
  }

  /** Returns the function that ends it, with what it failed with, if anything. */
  step(name: 'reserve'): (failure?: unknown) => void {
    const span = this.#begin(name);
    return (failure) => this.#end(span, failure);
  }

  attemptBegins({ name, provider, model }: Deployment): void {
    this.#attempt = this.#begin(`${this.#operation} ${model}`, {
      kind: SpanKind.CLIENT,
      attributes: {
        'gateway.request_id': this.#requestId,
        'gen_ai.operation.name': this.#operation,
        'gen_ai.provider.name': provider.id,
        'gen_ai.request.model': model,
        'gateway.deployment': name,
      },
    });
  }

  /** The provider's own spans become children of the attempt. */
  passOn(request: UpstreamRequest): UpstreamRequest {
    const { traceId, spanId, traceFlags } = this.#attempt?.context ?? this.#context;
    const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
    return { ...request, headers: { ...request.headers, traceparent } };
  }

  /** The deployment has begun to respond, or has failed. */
  attemptEnds(failure?: unknown): void {
    this.#end(this.#attempt, failure);
    this.#attempt = undefined;
  }

  streamBegins(): void {
    this.#stream = this.#begin('stream');
  }

  /** The charge or release is on its way to Redis. */
  settles(settled: Promise<unknown>): void {
    const span = this.#begin('settle');
    if (span !== undefined) void settled.finally(() => this.#end(span));
  }

  /** The request no longer holds money. A stream is over with it; any other response has yet to be sent. */
  ended({ isStream, isBroken }: { readonly isStream: boolean; readonly isBroken: boolean }, bill?: Bill): void {
    if (bill !== undefined && this.#root !== undefined) {
      this.#root.attributes['gen_ai.usage.input_tokens'] = bill.usage.promptTokens;
      this.#root.attributes['gen_ai.usage.output_tokens'] = bill.usage.completionTokens;
    }
    if (!isStream) return;
    if (isBroken) for (const span of [this.#stream, this.#root]) span?.fail();
    this.#endAll(200);
  }

  /** A whole response is given, or a stream has begun. */
  responded(status: number): void {
    if (!this.#isStream) this.#endAll(status);
  }

  failed(error: unknown): void {
    if (this.#isAuthenticated) this.#endAll(error instanceof GatewayError ? error.status : 500, error);
  }

  #endAll(status: number, failure?: unknown): void {
    if (this.#isOver || this.#root === undefined) return;
    this.#isOver = true;
    this.#end(this.#stream);
    this.#root.attributes['http.response.status_code'] = status;
    this.#end(this.#root, failure);
  }

  #begin(
    name: string,
    { kind, attributes }: { kind?: SpanKind; attributes?: SpanAttributes } = {},
  ): TimedSpan | undefined {
    if (this.#root === undefined) return undefined;
    return new TimedSpan({
      name,
      kind,
      context: { ...this.#context, spanId: this.#sink.newSpanId() },
      parent: this.#context,
      attributes: attributes ?? { 'gateway.request_id': this.#requestId },
      resource: this.#sink.resource,
    });
  }

  #end(span: TimedSpan | undefined, failure?: unknown): void {
    if (span === undefined) return;
    if (failure !== undefined) {
      span.fail();
      span.attributes['error.type'] = typeOf(failure);
    }
    span.end();
    this.#sink.take(span);
  }
}

function typeOf(error: unknown): string {
  if (error instanceof GatewayError) return error.code;
  if (error instanceof UpstreamFailure) return error.status === undefined ? error.reason : String(error.status);
  // The name of its class: a message may quote a prompt.
  return error instanceof Error && error.name !== 'Error' ? error.name : '_OTHER';
}
