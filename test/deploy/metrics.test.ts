/** docs/metrics.md and /metrics of the real programs name the same metrics. */
import { afterAll, expect, test } from 'bun:test';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { chat } from '../harness/clients/chat.ts';
import { startPrograms } from '../harness/gateway.ts';
import type { Program } from '../harness/programs.ts';
import { failWith, streamedResponse, wholeResponse } from '../harness/providers/scripted-provider.ts';
import { documentedMetrics, type KnownMetric } from './known-metrics.ts';

const { harness, provider, proxy, admin, stop } = await startPrograms();
const customer = await harness.createCustomer({ usd: '10' });

afterAll(stop);

const ask = (body: Readonly<Record<string, unknown>>) => chat(proxy, customer.proxyKey, body);
const metricsTextOf = async ({ url }: Program) => (await fetch(`${url}/metrics`)).text();

/** The value of a series; 0 if there is none. */
function valueIn(text: string, series: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1) ?? 0);
}

/** A label is known once there is a series. */
function shownMetrics(text: string): KnownMetric[] {
  return [...text.matchAll(/^# TYPE (gateway_\w+) (\w+)$/gm)].map(([, name = '', type = '']) => {
    const series = text.split('\n').find((line) => new RegExp(`^${name}(_bucket)?[{ ]`).test(line)) ?? '';
    const labels = [...series.matchAll(/(\w+)="/g)].map(([, label = '']) => label);
    return { name, type, labels: labels.filter((label) => label !== 'le').sort() };
  });
}

const byName = (one: KnownMetric, other: KnownMetric) => one.name.localeCompare(other.name);

async function expectDocumented(program: Program, heading: string, isComplete: (text: string) => boolean) {
  const text = await waitFor('every metric to have a series', guardTimeoutMs, async () => {
    const shown = await metricsTextOf(program);
    return isComplete(shown) && shown;
  });
  const documented = await documentedMetrics();
  const expected = [...(documented.get('Both programs') ?? []), ...(documented.get(heading) ?? [])];
  expect(shownMetrics(text).sort(byName)).toEqual(expected.sort(byName));
  const others = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name);
  expect(others.filter((name) => !/^(gateway|process|nodejs)_/.test(name))).toEqual([]);
}

test('requests, streams, tokens and money are counted', async () => {
  provider.on('upstream-chat', wholeResponse({ usage: { promptTokens: 10, completionTokens: 5 } }));
  await (await ask({ model: 'test/chat' })).text();
  provider.on('upstream-first', failWith(500, 'down'));
  provider.on('upstream-second', streamedResponse({ tokens: 150, promptTokens: 10, usage: true, delayMs: 1 }));
  await (await ask({ model: 'test/failover', stream: true })).text();
  provider.on('upstream-priced', streamedResponse({ tokens: 20, delayMs: 5, after: { tokens: 9, ends: 'error' } }));
  await (await ask({ model: 'test/priced-output', stream: true })).text();
  await (await ask({ model: 'a name that a client made up' })).text();
  const series = {
    'gateway_requests_total{model="test/chat",status="200"}': 1,
    'gateway_requests_total{model="test/failover",status="200"}': 1,
    'gateway_requests_total{model="",status="404"}': 1,
    'gateway_errors_total{code="model_not_found"}': 1,
    'gateway_streams_total{outcome="complete"}': 1,
    'gateway_streams_total{outcome="broken"}': 1,
    'gateway_tokens_total{model="test/failover",kind="completion"}': 150,
    'gateway_tokens_total{model="test/failover",kind="prompt"}': 10,
    // 10 prompt and 5 completion tokens at 0.60 and 1.80 USD per million.
    'gateway_charged_usd_total{model="test/chat"}': 0.000015,
    'gateway_time_to_first_token_seconds_count{deployment="scripted/upstream-second"}': 1,
    'gateway_output_tokens_per_second_count{deployment="scripted/upstream-second"}': 1,
    'gateway_added_seconds_count{part="before_provider"}': 3,
    'gateway_added_seconds_count{part="after_provider"}': 3,
    'gateway_wallet_call_seconds_count{call="settle"}': 3,
    'gateway_request_duration_seconds_count{kind="whole"}': 1,
    gateway_held_usd: 0,
    gateway_ready: 1,
  };
  const shown = await waitFor('the settles', guardTimeoutMs, async () => {
    const text = await metricsTextOf(proxy);
    return valueIn(text, 'gateway_wallet_call_seconds_count{call="settle"}') === 3 && text;
  });
  expect(Object.fromEntries(Object.keys(series).map((name) => [name, valueIn(shown, name)]))).toEqual(series);
  expect(shown).not.toContain('made up');
});

test('the money that a running request holds is reported while it runs', async () => {
  const responding = Promise.withResolvers<void>();
  provider.on('upstream-chat', async (truth, request) => {
    await responding.promise;
    return wholeResponse({ usage: { promptTokens: 10, completionTokens: 5 } })(truth, request);
  });
  const pending = ask({ model: 'test/chat', max_tokens: 1_000 });
  const held = await waitFor('the hold', guardTimeoutMs, async () => {
    const shown = valueIn(await metricsTextOf(proxy), 'gateway_held_usd');
    return shown > 0 && shown;
  });
  // The output alone, at 1.80 USD per million tokens.
  expect(held).toBeGreaterThanOrEqual(0.0018);
  responding.resolve();
  await (await pending).text();
  await waitFor('its end', guardTimeoutMs, async () => valueIn(await metricsTextOf(proxy), 'gateway_held_usd') === 0);
});

test('docs/metrics.md lists every metric of the proxy with its type and labels, and no other', async () => {
  await expectDocumented(proxy, 'The proxy', (text) => text.includes('gateway_time_to_first_token_seconds_count'));
});

test('docs/metrics.md lists every metric of admin with its type and labels, and no other', async () => {
  // A mail, and the first reconciliation.
  await fetch(`${admin.url}/api/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: `${crypto.randomUUID()}@test.example`, password: crypto.randomUUID() }),
  });
  await expectDocumented(admin, 'Admin', (text) =>
    ['gateway_mail_attempts_total{', 'gateway_drift_usd{', 'gateway_queue_entries{'].every((each) =>
      text.includes(each),
    ),
  );
});
