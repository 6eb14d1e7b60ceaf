/**
 * `bun run bench:recovery [--accounts 200000] [--active 1000] [--rounds 3]`: how long customers are refused after Redis has lost
 * everything. Real programs; the active customers send a request a second throughout, and each of them has to be served
 * again. Everything shares one machine.
 */
import { parseArgs } from 'node:util';
import { waitUntil } from '../../local/processes/poll.ts';
import { guardTimeoutMs, waitFor } from '../../test/harness/account-view.ts';
import { chat } from '../../test/harness/clients/chat.ts';
import { startPrograms } from '../../test/harness/gateway.ts';
import { wholeResponse } from '../../test/harness/providers/scripted-provider.ts';

const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '200000' },
    active: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '3' },
  },
});
const [accounts, active, rounds] = [values.accounts, values.active, values.rounds].map(Number);
if (!accounts || !active || !rounds) {
  console.error('bun run bench:recovery [--accounts 200000] [--active 1000] [--rounds 3]: numbers above 0');
  process.exit(2);
}

const everyMs = 1_000;
const completeTimeoutMs = 600_000;
const calmMs = 5_000;

const { harness, provider, proxy, stop } = await startPrograms();
const { sql } = harness.database;
provider.on('upstream-chat', wholeResponse({ usage: { promptTokens: 10, completionTokens: 10 } }));

/** Of which each has one key. */
async function addAccounts(count: number): Promise<void> {
  await sql`
    WITH made AS (INSERT INTO accounts SELECT FROM generate_series(1, ${count}::int) RETURNING id)
    INSERT INTO api_keys (account_id, kind, name, prefix, hash)
    SELECT id, 'proxy', 'idle', 'sk-idle', encode(sha256(id::text::bytea), 'hex') FROM made`;
  await sql`ANALYZE`;
}

interface Round {
  /** Seconds until each active customer was served again. */
  readonly served: readonly number[];
  /** Until Redis knew every key. */
  readonly complete: number;
}

async function measure(keys: readonly string[], allKeys: number): Promise<Round> {
  await harness.redis.flushall();
  const lostAtMs = performance.now();
  const since = () => (performance.now() - lostAtMs) / 1_000;
  const served = Promise.all(
    keys.map(async (key, index) => {
      await Bun.sleep((index * everyMs) / keys.length);
      while (!(await isServed(key))) await Bun.sleep(everyMs);
      return since();
    }),
  );
  const isComplete = async () => (await harness.redis.dbsize()) >= allKeys;
  if (!(await waitUntil(isComplete, { timeoutMs: completeTimeoutMs, everyMs: 50 })))
    throw new Error('keys are missing');
  return { complete: since(), served: await served };
}

async function isServed(key: string): Promise<boolean> {
  const response = await chat(proxy, key, { model: 'test/chat' });
  await response.text();
  if (response.status === 401) throw new Error('a key was said to be invalid');
  return response.ok;
}

try {
  const customers: string[] = [];
  while (customers.length < active) customers.push((await harness.createCustomer({ usd: '100' })).proxyKey);
  await addAccounts(accounts);
  for (const key of customers) await waitFor('a first response', guardTimeoutMs, () => isServed(key));
  for (let round = 1; round <= rounds; round += 1) {
    await Bun.sleep(calmMs);
    const { served, complete } = await measure(customers, accounts + active);
    const sorted = served.toSorted((one, other) => one - other);
    const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)]?.toFixed(1);
    console.log(
      `round ${round}: the first customer served after ${at(0)} s, half of them after ${at(0.5)} s, all after ${at(1)} s; every key known after ${complete.toFixed(1)} s`,
    );
  }
} finally {
  await stop();
}
