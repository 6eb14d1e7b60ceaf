/**
 * The spans of one request: authenticate, reserve, each attempt at a deployment, the stream, and the settle. Names and
 * attributes follow OpenTelemetry's conventions for HTTP and generative AI. Attributes are ids, counts and codes: never a
 * prompt, an answer, a key, or a message of an error, which may quote one of them.
 *
 * Most requests are not sampled. They have no trace, except those of a client that has one: of these there is only the root,
 * which records nothing and stands for every step; it passes the client's trace on to the provider.
 */
import {
  type Attributes,
  type Context,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace as spans,
  type Tracer,
} from '@opentelemetry/api';
import type { ModelKind } from '../../shared/catalogue/published-catalogue.ts';
import { GatewayError } from '../../shared/errors.ts';
import type { Deployment, Model } from '../catalogue/catalogue.ts';
import type { Bill } from '../metering/bill.ts';
import type { UpstreamRequest } from '../providers/adapter.ts';
import { UpstreamFailure } from '../upstream/upstream-failure.ts';

export interface TraceOptions {
  readonly tracer: Tracer;
  readonly requestId: string;
  readonly root: Span;
  /** The client's, if it sent a `traceparent`. */
  readonly parent: Context;
}

const operations: Readonly<Record<ModelKind, string>> = {
  chat: 'chat',
  completion: 'text_completion',
  embedding: 'embeddings',
  image: 'generate_content',
};

export class RequestTrace {
  readonly #tracer: Tracer;
  readonly #root: Span;
  readonly #isSampled: boolean;
  readonly #context: Context;
  /** Of every span. */
  readonly #attributes: Attributes;
  readonly #authenticate: Span;
  #operation = '';
  #attempt: Span | undefined;
  #stream: Span | undefined;
  #isAuthenticated = false;
  #isOver = false;

  constructor({ tracer, requestId, root, parent }: TraceOptions) {
    this.#tracer = tracer;
    this.#attributes = { 'gateway.request_id': requestId };
    this.#root = root;
    this.#isSampled = root.isRecording();
    root.setAttributes(this.#attributes);
    this.#context = this.#isSampled ? spans.setSpan(parent, root) : parent;
    this.#authenticate = this.#begin('authenticate');
  }

  /** The key is known and the body is here. A request without them leaves no trace. */
  authenticated(): void {
    this.#isAuthenticated = true;
    this.#authenticate.end(now());
  }

  describe({ id, kind }: Model, { stream }: { readonly stream: boolean }): void {
    if (!this.#isSampled) return;
    this.#operation = operations[kind];
    this.#root.setAttributes({
      'gen_ai.operation.name': this.#operation,
      'gen_ai.request.model': id,
      'gateway.stream': stream,
    });
  }

  /** Returns the function that ends it, with what it failed with, if anything. */
  step(name: 'reserve'): (failure?: unknown) => void {
    const span = this.#begin(name);
    return (failure) => {
      if (failure !== undefined) markFailed(span, failure);
      span.end(now());
    };
  }

  attemptBegins({ name, provider, model }: Deployment): void {
    this.#attempt = this.#begin(`${this.#operation} ${model}`, SpanKind.CLIENT);
    if (!this.#isSampled) return;
    this.#attempt.setAttributes({
      'gen_ai.operation.name': this.#operation,
      'gen_ai.provider.name': provider.id,
      'gen_ai.request.model': model,
      'gateway.deployment': name,
    });
  }

  /** The provider's own spans become children of the attempt. */
  passOn(request: UpstreamRequest): UpstreamRequest {
    if (this.#attempt === undefined) return request;
    const { traceId, spanId, traceFlags } = this.#attempt.spanContext();
    const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
    return { ...request, headers: { ...request.headers, traceparent } };
  }

  /** The deployment has begun to answer, or has failed. */
  attemptEnds(failure?: unknown): void {
    if (failure !== undefined && this.#attempt !== undefined) markFailed(this.#attempt, failure);
    this.#attempt?.end(now());
    this.#attempt = undefined;
  }

  streamBegins(): void {
    this.#stream = this.#begin('stream');
  }

  /** The charge or release is on its way to Redis. */
  settles(settled: Promise<unknown>): void {
    if (!this.#isSampled) return;
    const span = this.#begin('settle');
    void settled.finally(() => span.end(now()));
  }

  /** The request holds no money any more. A stream is over with it; any other answer has yet to be given. */
  ended({ isStream, isBroken }: { readonly isStream: boolean; readonly isBroken: boolean }, bill?: Bill): void {
    if (bill !== undefined && this.#isSampled) {
      this.#root.setAttributes({
        'gen_ai.usage.input_tokens': bill.usage.promptTokens,
        'gen_ai.usage.output_tokens': bill.usage.completionTokens,
      });
    }
    if (!isStream) return;
    if (isBroken) for (const span of [this.#stream, this.#root]) span?.setStatus({ code: SpanStatusCode.ERROR });
    this.#end(200);
  }

  /** A whole answer is given. */
  answered(status: number): void {
    this.#end(status);
  }

  failed(error: unknown): void {
    if (!this.#isAuthenticated) return;
    markFailed(this.#root, error);
    this.#end(error instanceof GatewayError ? error.status : 500);
  }

  #end(status: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stream?.end(now());
    this.#root.setAttribute('http.response.status_code', status);
    this.#root.end(now());
  }

  #begin(name: string, kind = SpanKind.INTERNAL): Span {
    if (!this.#isSampled) return this.#root;
    const options = { kind, attributes: this.#attributes, startTime: now() };
    return this.#tracer.startSpan(name, options, this.#context);
  }
}

function markFailed(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', typeOf(error));
}

function typeOf(error: unknown): string {
  if (error instanceof GatewayError) return error.code;
  if (error instanceof UpstreamFailure) return error.status === undefined ? error.reason : String(error.status);
  // The name of its class: a message may quote a prompt.
  return error instanceof Error && error.name !== 'Error' ? error.name : '_OTHER';
}

/** Milliseconds since 1970, with fractions, by a clock that is never set back. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}
