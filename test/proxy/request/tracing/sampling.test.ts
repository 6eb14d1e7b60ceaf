/** A client cannot make the proxy trace a request: the rate is the operator's, whatever a `traceparent` says. */
import { afterAll, afterEach, describe, expect, test } from 'bun:test';
import { TraceFlags } from '@opentelemetry/api';
import fc from 'fast-check';
import { samplerOfEnvironment } from '../../../../proxy/request/tracing/sampler.ts';
import { startGateway } from '../../../harness/gateway.ts';
import { wholeResponse } from '../../../harness/providers/scripted-provider.ts';

const variables = ['OTEL_TRACES_SAMPLER', 'OTEL_TRACES_SAMPLER_ARG'] as const;
const former = variables.map((name) => [name, process.env[name]] as const);
afterEach(() => {
  for (const [name, value] of former) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

/** The sampler of these settings. */
function samplerOf(name: string, rate: string) {
  process.env.OTEL_TRACES_SAMPLER = name;
  process.env.OTEL_TRACES_SAMPLER_ARG = rate;
  return samplerOfEnvironment();
}

const traceIds = fc.oneof(
  fc.bigInt({ min: 1n, max: 2n ** 128n - 1n }).map((id) => id.toString(16).padStart(32, '0')),
  // The sampler that every rate above 0 uses.
  fc.constant('00000000000000000000000000000001'),
);
const parents = fc.record({
  traceId: traceIds,
  spanId: fc.constant('b7ad6b7169203331'),
  traceFlags: fc.constantFrom(TraceFlags.NONE, TraceFlags.SAMPLED),
});

describe.each(['always_on', 'always_off', 'traceidratio'])('the sampler %s', (rate) => {
  test.each(['0', '0.01', '0.5', '1'])('with a rate of %s lets a client at most ask for no trace', (share) => {
    const [own, parentBased] = [samplerOf(rate, share), samplerOf(`parentbased_${rate}`, share)];
    fc.assert(
      fc.property(traceIds, parents, (id, parent) => {
        const wanted = own(id, undefined);
        expect(own(id, parent)).toBe(wanted);
        expect(parentBased(id, undefined)).toBe(wanted);
        expect(parentBased(id, parent)).toBe(wanted && parent.traceFlags === TraceFlags.SAMPLED);
      }),
    );
  });
});

test('a sampler that does not exist is refused', () => {
  for (const name of ['always', 'parentbased_', 'jaeger_remote', 'constructor']) {
    expect(() => samplerOf(name, '1')).toThrow(`OTEL_TRACES_SAMPLER is ${name}; it must be one of always_on, parent`);
  }
});

const received: string[] = [];
const collector = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    received.push(await request.text());
    return Response.json({});
  },
});
const { harness, provider, stop } = await startGateway();
const customer = await harness.createCustomer({ usd: '10' });
afterAll(async () => {
  await stop();
  await collector.stop(true);
});

/** The requests whose traces arrive, of eight with a `traceparent` whose client asks for a trace. */
async function tracedOf(sampler: string, rate: string): Promise<number> {
  const proxy = await harness.startProxy({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
    OTEL_TRACES_SAMPLER: sampler,
    OTEL_TRACES_SAMPLER_ARG: rate,
  });
  const from = received.length;
  const ids = Array.from({ length: 8 }, (_, index) => `${index + 1}`.padStart(32, '0'));
  for (const id of ids) {
    const response = await fetch(`${proxy.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.proxyKey}`, traceparent: `00-${id}-b7ad6b7169203331-01` },
      body: JSON.stringify({ model: 'test/chat', messages: [{ role: 'user', content: 'Hello!' }] }),
    });
    expect(response.status).toBe(200);
    await response.text();
    const sent = provider.requests.at(-1)?.headers.get('traceparent');
    expect(sent).toStartWith(`00-${id}-`);
    expect([rate, sent?.endsWith('-01')]).toEqual([rate, rate === '1']);
  }
  // The proxy sends what it has recorded before it exits.
  await proxy.stop();
  return ids.filter((id) => received.slice(from).some((text) => text.includes(id))).length;
}

test.each([
  ['parentbased_traceidratio', '0', 0],
  ['parentbased_traceidratio', '1', 8],
  ['traceidratio', '0', 0],
  ['traceidratio', '1', 8],
])(
  'with %s and a rate of %s, the rate alone decides that %i of eight requests are traced',
  async (sampler, rate, traced) => {
    provider.on('upstream-chat', wholeResponse({ usage: { promptTokens: 1, completionTokens: 1 } }));
    expect(await tracedOf(sampler, rate)).toBe(traced);
  },
);
