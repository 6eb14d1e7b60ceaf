/**
 * Spans are written as OpenTelemetry's own serializer writes them, except for what is empty and what is below a
 * microsecond.
 */
import { expect, test } from 'bun:test';
import { SpanKind, TraceFlags } from '@opentelemetry/api';
import { TraceState } from '@opentelemetry/core';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { spanSerializer } from '../../../../proxy/request/tracing/serialize-spans.ts';
import { TimedSpan } from '../../../../proxy/request/tracing/timed-span.ts';

const resource = resourceFromAttributes({ 'service.name': 'model-gateway' });
const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceFlags = TraceFlags.SAMPLED;
const traceState = new TraceState('vendor=1');
const client = { traceId, spanId: 'b7ad6b7169203331', traceFlags, isRemote: true };
const root = { traceId, spanId: '00f067aa0ba902b7', traceFlags, traceState };

function spansOfRequest(): TimedSpan[] {
  const spans = [
    new TimedSpan({
      name: 'POST /v1/chat/completions',
      kind: SpanKind.SERVER,
      context: root,
      parent: client,
      attributes: { 'http.route': '/v1/"chat"', 'gateway.stream': true, 'gen_ai.usage.input_tokens': 12 },
      resource,
    }),
    new TimedSpan({
      name: 'reserve',
      context: { ...root, spanId: '53995c3f42cd8ad8' },
      parent: root,
      attributes: {},
      resource,
    }),
    new TimedSpan({ name: 'without a parent', context: root, parent: undefined, attributes: {}, resource }),
  ];
  for (const span of spans) span.end();
  spans[1]?.fail();
  return spans;
}

const read = (bytes: Uint8Array | undefined): unknown => JSON.parse(new TextDecoder().decode(bytes));

const toMicroseconds = (text: string) => text.replace(/\d{3}$/, '000');

/** No events, no links, nothing dropped. */
function withoutEmpty(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutEmpty(one));
  if (typeof value !== 'object' || value === null)
    return key.endsWith('TimeUnixNano') ? toMicroseconds(String(value)) : value;
  const entries = Object.entries(value).filter(([name]) => !/^(?:dropped\w+Count|events|links)$/.test(name));
  return Object.fromEntries(entries.map(([name, one]) => [name, withoutEmpty(one, name)]));
}

test('spans are written as the library writes them', () => {
  const spans = spansOfRequest();
  const own = read(spanSerializer.serializeRequest(spans));
  expect(withoutEmpty(own)).toEqual(withoutEmpty(read(JsonTraceSerializer.serializeRequest(spans))));
});

test('no output is written for an empty list of spans', () => {
  expect(spanSerializer.serializeRequest([])).toBeUndefined();
});
