/** What /metrics shows of batches, and that their lines do not count as waiting clients do. */
import { afterAll, expect, test } from 'bun:test';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { startGateway } from '../../harness/gateway.ts';
import { failWith, wholeResponse } from '../../harness/providers/scripted-provider.ts';
import { clientOf, createBatch, endOf, linesOf } from '../../harness/storage/run-batch.ts';
import { openTestStore } from '../../harness/storage/stores.ts';

const place = await openTestStore('folder');
const { harness, provider, proxy, stop } = await startGateway({ proxyEnvironment: place.environment });
afterAll(async () => {
  await stop();
  await place.remove();
});

const shown = async () => {
  const text = await (await fetch(`${proxy.url}/metrics`)).text();
  return (series: string) => {
    const line = text.split('\n').find((each) => each.startsWith(`${series} `));
    return Number(line?.slice(series.length + 1));
  };
};
const outcomes = ['answered', 'failed', 'postponed'] as const;
const answer = wholeResponse({ usage: { promptTokens: 10, completionTokens: 10 } });

test('lines are counted by what came of them, a batch while it runs, and no time of theirs is measured', async () => {
  const atStart = await shown();
  for (const outcome of outcomes) expect(atStart(`gateway_batch_lines_total{outcome="${outcome}"}`)).toBe(0);
  expect(['look', 'run'].map((step) => atStart(`gateway_batch_failures_total{step="${step}"}`))).toEqual([0, 0]);
  expect([atStart('gateway_batches'), atStart('gateway_oldest_batch_age_seconds')]).toEqual([0, 0]);

  const customer = await harness.createCustomer({ usd: '10' });
  const client = clientOf(proxy, customer.proxyKey);
  await waitFor('the wallet', guardTimeoutMs, () => client.files.list().catch(() => undefined));
  const mayEnd = Promise.withResolvers<void>();
  let busy = 1;
  provider.on('upstream-chat', async (truth, request) => {
    if (truth.prompt === 'Line 1') return failWith(400, 'not like that')(truth, request);
    // Refused as too much of this request, which is not tried again within the same attempt.
    if (truth.prompt === 'Line 2' && busy-- > 0) {
      return Response.json({ error: { message: 'Request too large for your quota', code: 'tokens' } }, { status: 429 });
    }
    await mayEnd.promise;
    return answer(truth, request);
  });
  const body = (number: number) => ({ model: 'test/chat', messages: [{ role: 'user', content: `Line ${number}` }] });
  const created = await createBatch(client, linesOf(5, body));
  const running = await waitFor('lines in flight', guardTimeoutMs, async () => {
    const now = await shown();
    return now('gateway_batch_lines{place="here"}') >= 3 && now;
  });
  expect([running('gateway_batches'), running('gateway_batch_lines{place="provider"}')]).toEqual([1, 0]);
  expect(running('gateway_oldest_batch_age_seconds')).toBeGreaterThan(0);
  mayEnd.resolve();
  await endOf(client, created);
  const ended = await waitFor('its end', guardTimeoutMs, async () => {
    const now = await shown();
    return now('gateway_batches') === 0 && now('gateway_oldest_batch_age_seconds') === 0 && now;
  });
  const counts = outcomes.map((outcome) => ended(`gateway_batch_lines_total{outcome="${outcome}"}`));
  expect(counts.slice(0, 2)).toEqual([4, 1]);
  expect(counts[2]).toBeGreaterThanOrEqual(1);
  expect(ended('gateway_batch_lines{place="here"}')).toBe(0);
  for (const series of [
    'gateway_request_duration_seconds_count{kind="whole"}',
    'gateway_added_seconds_count{part="after_provider"}',
  ]) {
    expect(ended(series)).toBe(0);
  }
});

test('a batch whose results cannot be stored counts as a failed run, and ends once they can be', async () => {
  const customer = await harness.createCustomer({ usd: '10' });
  const client = clientOf(proxy, customer.proxyKey);
  await waitFor('the wallet', guardTimeoutMs, () => client.files.list().catch(() => undefined));
  const isAsked = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  provider.on('upstream-chat', async (truth, request) => {
    isAsked.resolve();
    await mayEnd.promise;
    return answer(truth, request);
  });
  const body = () => ({ model: 'test/chat', messages: [{ role: 'user', content: 'Hello!' }] });
  const before = await shown();
  const created = await createBatch(client, linesOf(3, body));
  await isAsked.promise;
  // A file where their folder has to be.
  const results = join(place.environment.FILES_DIR ?? '', 'results');
  await rename(results, `${results}-away`).catch(() => {});
  await writeFile(results, '');
  mayEnd.resolve();
  const failures = 'gateway_batch_failures_total{step="run"}';
  await waitFor('an interruption', guardTimeoutMs, async () => (await shown())(failures) > before(failures));
  await rm(results);
  await rename(`${results}-away`, results).catch(() => {});
  expect((await endOf(client, created)).request_counts).toEqual({ total: 3, completed: 3, failed: 0 });
  const after = await shown();
  expect(after('gateway_batch_failures_total{step="look"}')).toBe(0);
  const answered = 'gateway_batch_lines_total{outcome="answered"}';
  expect(after(answered) - before(answered)).toBe(3);
});
