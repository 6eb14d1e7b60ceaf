/**
 * Writes spans as OTLP in JSON (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). OpenTelemetry's own
 * serializer makes some twenty objects and two BigInts of each span, which cost more than recording it.
 */
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { SpanAttributes, TimedSpan } from './timed-span.ts';

const encoder = new TextEncoder();
/** Sampled; it is known whether the parent is remote; it is. */
const spanFlags = { local: 0x001 | 0x100, remote: 0x001 | 0x100 | 0x200 };

export const spanSerializer = {
  /** Of this program's spans, all of which are timed ones of one resource and one scope. */
  serializeRequest: (given: ReadableSpan[]): Uint8Array | undefined => {
    const spans = given as TimedSpan[];
    const [first] = spans;
    if (first === undefined) return undefined;
    const scopeSpans = [{ scope: { name: first.instrumentationScope.name }, spans: spans.map(otlpOf) }];
    const resource = { attributes: listAttributes(first.resource.attributes as SpanAttributes) };
    return encoder.encode(JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] }));
  },
  deserializeResponse: (body: Uint8Array) => JsonTraceSerializer.deserializeResponse(body),
};

function otlpOf({ name, kind, context, parentSpanContext, attributes, status, startMs, endMs }: TimedSpan) {
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    parentSpanId: parentSpanContext?.spanId,
    traceState: context.traceState?.serialize(),
    name,
    // The API counts from 0, OTLP has 0 for an unknown kind.
    kind: kind + 1,
    startTimeUnixNano: nanosecondsOf(startMs),
    endTimeUnixNano: nanosecondsOf(endMs),
    attributes: listAttributes(attributes),
    status,
    flags: parentSpanContext?.isRemote === true ? spanFlags.remote : spanFlags.local,
  };
}

function listAttributes(attributes: SpanAttributes): object[] {
  const list: object[] = [];
  for (const key in attributes) {
    const value = attributes[key];
    if (typeof value === 'string') list.push({ key, value: { stringValue: value } });
    else if (typeof value === 'number') list.push({ key, value: { intValue: value } });
    else if (typeof value === 'boolean') list.push({ key, value: { boolValue: value } });
  }
  return list;
}

/** Nanoseconds since 1970, of milliseconds since the program's start, to the microsecond. */
function nanosecondsOf(ms: number): string {
  const sinceEpoch = performance.timeOrigin + ms;
  const whole = Math.floor(sinceEpoch);
  const microseconds = Math.floor((sinceEpoch - whole) * 1_000);
  return `${whole}${String(microseconds).padStart(3, '0')}000`;
}
