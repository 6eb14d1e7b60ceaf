/**
 * Sends a trace of each request to a collector, over HTTP. The exporter reads the usual variables: the endpoint, headers,
 * timeouts. Loaded only if OTEL_EXPORTER_OTLP_ENDPOINT is set.
 *
 * Whether a request is traced is decided here, before anything else is made for it: most are not.
 */
import { ROOT_CONTEXT, TraceFlags, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http';
import { TraceExporterMetricsHelper } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, RandomIdGenerator, type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { pathOf } from '../../../shared/http/request-headers.ts';
import { RequestTrace, type SpanSink } from './request-trace.ts';
import { samplerOfEnvironment } from './sampler.ts';
import { spanSerializer } from './serialize-spans.ts';
import type { Tracing } from './tracing.ts';

const headerGetter = {
  get: (headers: Headers, name: string) => headers.get(name) ?? undefined,
  keys: (headers: Headers) => [...headers.keys()],
};

export function startTracing({ serviceName }: { readonly serviceName: string }): Tracing {
  const resource = resourceFromAttributes({ 'service.name': serviceName });
  const processor = new BatchSpanProcessor(openExporter());
  const isSampled = samplerOfEnvironment();
  const ids = new RandomIdGenerator();
  const propagator = new W3CTraceContextPropagator();
  const sink: SpanSink = { resource, newSpanId: () => ids.generateSpanId(), take: (span) => processor.onEnd(span) };
  return {
    begin: ({ request, requestId }) => {
      const context = request.headers.has('traceparent')
        ? propagator.extract(ROOT_CONTEXT, request.headers, headerGetter)
        : ROOT_CONTEXT;
      const parent = trace.getSpanContext(context);
      // The request id is a UUID, most of whose bits are random: without hyphens it is a trace id.
      const ownTraceId = requestId.replaceAll('-', '');
      const sampled = isSampled(ownTraceId, parent);
      if (parent === undefined && !sampled) return undefined;
      const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
      return new RequestTrace({
        path: pathOf(request),
        requestId,
        parent,
        root: {
          traceId: parent?.traceId ?? ownTraceId,
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

/** As OpenTelemetry's exporter of traces in JSON, but with our serializer. */
function openExporter(): OTLPExporterBase<ReadableSpan[]> {
  const options = convertLegacyHttpOptions({}, 'TRACES', 'v1/traces', { 'content-type': 'application/json' });
  const component = 'otlp_http_json_span_exporter';
  return new OTLPExporterBase(
    createOtlpHttpExportDelegate(options, spanSerializer, component, TraceExporterMetricsHelper, undefined),
  );
}
