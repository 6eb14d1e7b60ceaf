/** The traces of the real proxy, as a collector receives them. */
import { afterAll, expect, test } from 'bun:test';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { errorCodeOf } from '../../../harness/clients/chat.ts';
import { startProxyProgram } from '../../../harness/gateway.ts';
import { failWith, streamedResponse, wholeResponse } from '../../../harness/providers/scripted-provider.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status: { readonly code: number };
}

interface Export {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
}

const received: string[] = [];
const collector = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    if (new URL(request.url).pathname !== '/v1/traces') return new Response(null, { status: 404 });
    received.push(await request.text());
    return Response.json({});
  },
});
const { harness, provider, proxy, stop } = await startProxyProgram({
  proxyEnvironment: {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
    OTEL_BSP_SCHEDULE_DELAY: '50',
  },
});
const customer = await harness.createCustomer({ usd: '10' });

afterAll(async () => {
  await stop();
  await collector.stop(true);
});

const client = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const secret = 'a prompt that nobody else may read';

function ask(body: Readonly<Record<string, unknown>>, headers: Readonly<Record<string, string>> = {}) {
  return fetch(`${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.proxyKey}`, ...headers },
    body: JSON.stringify({ messages: [{ role: 'user', content: secret }], ...body }),
  });
}

const spansOf = (requestId: string | null) =>
  received
    .flatMap((text) => (JSON.parse(text) as Export).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)
    .filter((span) => attributesOf(span)['gateway.request_id'] === requestId);

function attributesOf({ attributes }: Span): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

/** Once its root and its settle have arrived. */
function traceOf(response: Response): Promise<Span[]> {
  const requestId = response.headers.get('x-request-id');
  return waitFor('the trace', guardTimeoutMs, async () => {
    const spans = spansOf(requestId);
    const isWhole = ['POST /v1/chat/completions', 'settle'].every((name) => spans.some((span) => span.name === name));
    return (
      isWhole && spans.sort((one, other) => Number(BigInt(one.startTimeUnixNano) - BigInt(other.startTimeUnixNano)))
    );
  });
}

test('a stream that fails over is one tree of spans, with the parents and times of its steps', async () => {
  provider.on('upstream-first', failWith(500, secret));
  const last = Promise.withResolvers<void>();
  provider.on('upstream-second', streamedResponse({ tokens: 20, promptTokens: 10, lastWhen: last.promise }));
  const response = await ask(
    { model: 'test/failover', stream: true },
    { traceparent: `00-${client.traceId}-${client.spanId}-01` },
  );
  const reader = response.body?.getReader();
  await reader?.read();
  const midwayMs = Date.now();
  // More than the clocks of two programs on one machine differ.
  await Bun.sleep(20);
  last.resolve();
  while ((await reader?.read())?.done === false);
  const spans = await traceOf(response);
  expect(spans.map(({ name }) => name)).toEqual([
    'POST /v1/chat/completions',
    'authenticate',
    'reserve',
    'chat upstream-first',
    'chat upstream-second',
    'stream',
    'settle',
  ]);
  const [root, authenticate, reserve, first, second, stream, settle] = spans as [
    Span,
    Span,
    Span,
    Span,
    Span,
    Span,
    Span,
  ];
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([client.traceId]));
  expect(root.parentSpanId).toBe(client.spanId);
  for (const span of spans.slice(1)) expect([span.name, span.parentSpanId]).toEqual([span.name, root.spanId]);
  // Each step ends before the next one begins.
  const steps = [authenticate, reserve, first, second].map((span) => [span.startTimeUnixNano, span.endTimeUnixNano]);
  const instants = steps.flat().map(BigInt);
  expect(instants).toEqual(instants.toSorted((one, other) => Number(one - other)));
  expect(BigInt(stream.startTimeUnixNano)).toBeGreaterThan(BigInt(second.startTimeUnixNano));
  const fromMidwayMs = (instant: string) => Number(BigInt(instant) - BigInt(midwayMs) * 1_000_000n) / 1e6;
  expect(fromMidwayMs(stream.startTimeUnixNano)).toBeLessThan(10);
  expect(fromMidwayMs(stream.endTimeUnixNano)).toBeGreaterThan(10);
  expect(BigInt(settle.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(stream.endTimeUnixNano));
  expect(BigInt(root.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(stream.endTimeUnixNano));
  expect(spans.map(({ status }) => status.code)).toEqual([0, 0, 0, 2, 0, 0, 0]);
  expect(attributesOf(first)).toMatchObject({ 'error.type': '500', 'gen_ai.provider.name': 'scripted' });
  expect(attributesOf(root)).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'test/failover',
    'gen_ai.usage.input_tokens': 10,
    'gen_ai.usage.output_tokens': 20,
    'http.response.status_code': 200,
  });
});

test('the provider gets the span of its own attempt as its parent', async () => {
  provider.on('upstream-chat', wholeResponse({ usage: { promptTokens: 1, completionTokens: 1 } }));
  const response = await ask({ model: 'test/chat' });
  await response.text();
  const spans = await traceOf(response);
  const attempt = spans.find(({ name }) => name === 'chat upstream-chat');
  expect(attempt?.traceId).toBe(response.headers.get('x-request-id')?.replaceAll('-', ''));
  const sent = provider.requests.findLast(({ body }) => body.model === 'upstream-chat');
  expect(sent?.headers.get('traceparent')).toBe(`00-${attempt?.traceId}-${attempt?.spanId}-01`);
});

test('a request whose client asks for no trace has none, and its provider gets the same flag', async () => {
  const unsampled = await ask(
    { model: 'test/chat' },
    { traceparent: `00-${client.traceId.replace('0', 'f')}-${client.spanId}-00` },
  );
  await unsampled.text();
  const sent = provider.requests.findLast(({ body }) => body.model === 'upstream-chat');
  expect(sent?.headers.get('traceparent')).toMatch(
    new RegExp(`^00-${client.traceId.replace('0', 'f')}-[0-9a-f]{16}-00$`),
  );
  // A later trace has arrived.
  const sampled = await ask({ model: 'test/chat' });
  await sampled.text();
  await traceOf(sampled);
  expect(spansOf(unsampled.headers.get('x-request-id'))).toEqual([]);
});

test('a refused request names its error, and an unknown client leaves no trace', async () => {
  const refused = await ask({ model: 'no such model' });
  const stranger = await fetch(`${proxy.url}/v1/chat/completions`, { method: 'POST', body: '{}' });
  const [root] = await waitFor('the trace', guardTimeoutMs, async () => {
    const spans = spansOf(refused.headers.get('x-request-id')).filter(({ name }) => name.startsWith('POST'));
    return spans.length > 0 && spans;
  });
  expect(root && attributesOf(root)).toMatchObject({
    'error.type': 'model_not_found',
    'http.response.status_code': 404,
  });
  expect(spansOf(stranger.headers.get('x-request-id'))).toEqual([]);
});

test('a reserve that is refused ends its span with the reason', async () => {
  const poor = await harness.createCustomer({ usd: '0.000001' });
  const refused = await ask({ model: 'test/chat' }, { authorization: `Bearer ${poor.proxyKey}` });
  expect(refused.status).toBe(403);
  const [reserve] = await waitFor('the span', guardTimeoutMs, async () => {
    const spans = spansOf(refused.headers.get('x-request-id')).filter(({ name }) => name === 'reserve');
    return spans.length > 0 && spans;
  });
  expect(reserve?.status.code).toBe(2);
  expect(reserve && attributesOf(reserve)['error.type']).toBe(await errorCodeOf(refused));
});

test('no trace contains a prompt, a response or a key', () => {
  const text = received.join('\n');
  expect(text).toContain('gateway.request_id');
  for (const hidden of [secret, customer.proxyKey, 'Hello.', 'no such model']) expect(text).not.toContain(hidden);
});
