/**
 * `bun run bench:batches [--rounds 3] [--lines 10000]`: what a batch does to interactive requests beside it. In turn, the same number
 * of requests a second is measured alone and while a batch runs, through the real programs and a provider that answers after 20 ms.
 * Everything shares one machine, the load and the provider too, so what the machine lacks counts against the batch.
 */
import { parseArgs } from 'node:util';
import { guardTimeoutMs, waitFor } from '../../test/harness/account-view.ts';
import { startPrograms } from '../../test/harness/gateway.ts';
import { wholeResponse } from '../../test/harness/providers/scripted-provider.ts';
import { clientOf, createBatch, linesOf } from '../../test/harness/storage/run-batch.ts';
import { openTestStore } from '../../test/harness/storage/stores.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, lines: { type: 'string', default: '10000' } },
});
const [rounds, lines] = [Number(values.rounds), Number(values.lines)];
const requestsPerSecond = 50;
const aloneMs = 8_000;

const place = await openTestStore('folder');
const { harness, provider, proxy, stop } = await startPrograms({ proxyEnvironment: place.environment });
provider.on('upstream-chat', wholeResponse({ usage: { promptTokens: 10, completionTokens: 10 }, delayMs: 20 }));
const customer = await harness.createCustomer({ usd: '1000' });
const client = clientOf(proxy, customer.proxyKey);
await waitFor('the wallet', guardTimeoutMs, () => client.files.list().catch(() => undefined));
const body = { model: 'test/chat', messages: [{ role: 'user', content: 'Hello!' }] };

async function request(): Promise<number> {
  const startedAtMs = performance.now();
  const response = await fetch(`${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.proxyKey}` },
    body: JSON.stringify(body),
  });
  await response.text();
  if (!response.ok) throw new Error(`an interactive request got ${response.status}`);
  return performance.now() - startedAtMs;
}

/** The durations of requests that are sent at their times, however long those before take. */
async function measureUntil(isOver: () => boolean): Promise<number[]> {
  const durations: number[] = [];
  const running: Promise<void>[] = [];
  const startedAtMs = performance.now();
  for (let number = 0; !isOver(); number += 1) {
    await Bun.sleep(Math.max(0, startedAtMs + (number * 1_000) / requestsPerSecond - performance.now()));
    running.push(request().then((duration) => void durations.push(duration)));
  }
  await Promise.all(running);
  return durations.sort((one, other) => one - other);
}

const at = (sorted: readonly number[], share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
const show = (what: string, durations: readonly number[]) =>
  console.log(`${what}: p50 ${at(durations, 0.5)} ms, p99 ${at(durations, 0.99)} ms of ${durations.length} requests`);

try {
  await measureUntil(endsAfter(aloneMs));
  for (let round = 1; round <= rounds; round += 1) {
    show(`round ${round}, alone`, await measureUntil(endsAfter(aloneMs)));
    const { id } = await createBatch(
      client,
      linesOf(lines, () => body),
    );
    const startedAtMs = performance.now();
    let isOver = false;
    const watched = waitFor('the end of the batch', 20 * guardTimeoutMs, async () => {
      const { status, request_counts: counts } = await client.batches.retrieve(id);
      await Bun.sleep(500);
      return status === 'completed' && counts;
    }).finally(() => {
      isOver = true;
    });
    show(`round ${round}, beside a batch`, await measureUntil(() => isOver));
    const seconds = (performance.now() - startedAtMs) / 1_000;
    console.log(`  ${(await watched).completed} lines in ${seconds.toFixed(1)} s`);
  }
} finally {
  await stop();
  await place.remove();
}

function endsAfter(ms: number): () => boolean {
  const endAtMs = performance.now() + ms;
  return () => performance.now() > endAtMs;
}
