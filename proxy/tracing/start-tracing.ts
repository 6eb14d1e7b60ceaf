/**
 * Sends a trace of each request to a collector, over HTTP. The exporter reads the usual variables: the endpoint, headers,
 * timeouts. Loaded only if OTEL_EXPORTER_OTLP_ENDPOINT is set.
 *
 * Whether a request is traced is decided here, before anything else is made for it: most are not.
 */
import { type Context, ROOT_CONTEXT, SpanKind, TraceFlags, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, RandomIdGenerator, SamplingDecision } from '@opentelemetry/sdk-trace-base';
import { pathOf } from '../../shared/http/request-headers.ts';
import { RequestTrace, type SpanSink } from './request-trace.ts';
import { samplerOfEnvironment } from './sampler.ts';
import type { Tracing } from './tracing.ts';

const headerGetter = {
  get: (headers: Headers, name: string) => headers.get(name) ?? undefined,
  keys: (headers: Headers) => [...headers.keys()],
};

export function startTracing({ serviceName }: { readonly serviceName: string }): Tracing {
  const resource = resourceFromAttributes({ 'service.name': serviceName });
  const processor = new BatchSpanProcessor(new OTLPTraceExporter());
  const sampler = samplerOfEnvironment();
  const ids = new RandomIdGenerator();
  const propagator = new W3CTraceContextPropagator();
  const isSampled = (context: Context, traceId: string) =>
    sampler.shouldSample(context, traceId, 'POST', SpanKind.SERVER, {}, []).decision ===
    SamplingDecision.RECORD_AND_SAMPLED;
  const sink: SpanSink = { resource, newSpanId: () => ids.generateSpanId(), take: (span) => processor.onEnd(span) };
  return {
    begin: ({ request, requestId }) => {
      const context = request.headers.has('traceparent')
        ? propagator.extract(ROOT_CONTEXT, request.headers, headerGetter)
        : ROOT_CONTEXT;
      const parent = trace.getSpanContext(context);
      // The request id is a UUID, most of whose bits are random: without hyphens it is a trace id.
      const traceId = parent?.traceId ?? requestId.replaceAll('-', '');
      const sampled = isSampled(context, traceId);
      if (parent === undefined && !sampled) return undefined;
      const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
      return new RequestTrace({
        path: pathOf(request),
        requestId,
        parent,
        root: {
          traceId,
          spanId: ids.generateSpanId(),
          traceFlags,
          ...(parent?.traceState && { traceState: parent.traceState }),
        },
        sink,
      });
    },
    stop: () => processor.shutdown(),
  };
}
