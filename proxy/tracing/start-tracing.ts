/**
 * Sends a trace of each request to a collector, over HTTP. The exporter reads the usual variables: the endpoint, headers,
 * timeouts, the sampler. Loaded only if OTEL_EXPORTER_OTLP_ENDPOINT is set.
 */
import { ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { pathOf } from '../../shared/http/request-headers.ts';
import { now, RequestTrace } from './request-trace.ts';
import type { Tracing } from './tracing.ts';

const headerGetter = {
  get: (headers: Headers, name: string) => headers.get(name) ?? undefined,
  keys: (headers: Headers) => [...headers.keys()],
};

export function startTracing({ serviceName }: { readonly serviceName: string }): Tracing {
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer = provider.getTracer('gateway');
  const propagator = new W3CTraceContextPropagator();
  return {
    begin: ({ request, requestId }) => {
      const hasParent = request.headers.has('traceparent');
      const parent = hasParent ? propagator.extract(ROOT_CONTEXT, request.headers, headerGetter) : ROOT_CONTEXT;
      const path = pathOf(request);
      const attributes = { 'http.request.method': 'POST', 'http.route': path };
      const root = tracer.startSpan(`POST ${path}`, { kind: SpanKind.SERVER, attributes, startTime: now() }, parent);
      if (!hasParent && !root.isRecording()) return undefined;
      return new RequestTrace({ tracer, requestId, root, parent });
    },
    stop: () => provider.shutdown(),
  };
}
