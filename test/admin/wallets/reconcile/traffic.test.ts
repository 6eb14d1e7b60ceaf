/**
 * Reconciling while real programs serve requests: money on its way is no drift, and real drift is found and repaired.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { repairDrift } from '../../../../admin/wallets/reconcile/repair/repair-drift.ts';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { chat } from '../../../harness/clients/chat.ts';
import type { Served } from '../../../harness/programs.ts';
import {
  type ScriptedProvider,
  startScriptedProvider,
  streamedResponse,
  wholeResponse,
} from '../../../harness/providers/scripted-provider.ts';
import { testCatalogue } from '../../../harness/providers/test-catalogue.ts';
import { type Account, noDrift, type ReconcileBench, startReconcileBench } from './reconcile-bench.ts';

const actor = { name: 'cli:test', userId: null, address: 'here', requestId: null };

let bench: ReconcileBench;
let provider: ScriptedProvider;
let proxy: Served;
let accounts: Account[];
let endTraffic: () => Promise<number>;

beforeAll(async () => {
  bench = await startReconcileBench();
  provider = startScriptedProvider();
  provider.on('upstream-priced', wholeResponse({ usage: { promptTokens: 1, completionTokens: 100 }, delayMs: 5 }));
  provider.on('upstream-chat', streamedResponse({ tokens: 20, delayMs: 5 }));
  await bench.harness.applyCatalogue(testCatalogue(provider.baseUrl));
  await bench.harness.openAdmin();
  // In a process of its own: in this one, each step of a repair would wait for requests that change the wallet.
  proxy = await bench.harness.startProxy();
  accounts = [];
  while (accounts.length < 6) accounts.push(await bench.open('100'));
  endTraffic = startTraffic();
});
afterAll(async () => {
  await endTraffic();
  await provider.stop();
  await bench.stop();
});

/**
 * Continuous requests of six customers, some of them streams; the returned function stops them and returns the count.
 */
function startTraffic(): () => Promise<number> {
  let running = true;
  let responded = 0;
  const loops = accounts.flatMap((account, index) =>
    [0, 1].map(async (lane) => {
      const stream = lane === 1;
      const body = { model: stream ? 'test/chat' : 'test/priced-output', max_tokens: 100, stream };
      while (running) {
        const response = await chat(proxy, account.proxyKey, body);
        await response.text();
        responded += response.ok ? 1 : 0;
        await Bun.sleep(index);
      }
    }),
  );
  return async () => {
    running = false;
    await Promise.all(loops);
    return responded;
  };
}

const account = (index: number): Account => {
  const found = accounts[index];
  if (found === undefined) throw new Error(`no account ${index}`);
  return found;
};

test('a system without faults is ok in every run under traffic', async () => {
  for (let run = 0; run < 12; run += 1) {
    const found = await bench.reconcile({ pauseMs: 100 + run });
    expect(found).toMatchObject({ ok: true, drifting: [], violations: [], accounts: 6 });
  }
});

test('drift is found to the nano-dollar, and repaired, while requests run', async () => {
  const { redis } = bench.harness;
  const { walletKey } = account(1);
  await redis.hincrby(account(0).walletKey, 'available', 777);
  await redis.multi().hincrby(walletKey, 'spent', -50).hincrby(walletKey, 'available', 50).exec();
  await redis.hincrby(account(2).walletKey, 'held', 9);
  const expected = [
    { accountId: account(0).accountId, drift: { ...noDrift, d2: 777n } },
    { accountId: account(1).accountId, drift: { ...noDrift, d1: 50n } },
    { accountId: account(2).accountId, drift: { ...noDrift, d2: 9n, d3: 9n } },
  ];
  await waitFor('the drift to be found', guardTimeoutMs, async () => {
    const found = (await bench.reconcile({ pauseMs: 100 })).drifting.map(({ accountId, drift }) => ({
      accountId,
      drift,
    }));
    return Bun.deepEquals(found, expected);
  });

  const options = { ...bench.services, pauseMs: 100 };
  await waitFor('the repair of all', guardTimeoutMs, async () => {
    const { reconciliation } = await repairDrift(options, { reason: 'test', actor });
    return reconciliation.ok;
  });
  const rows = await bench.harness.database.sql`SELECT DISTINCT account_id FROM repairs ORDER BY account_id`;
  expect(rows.map((row) => Number(row.account_id))).toEqual(expected.map(({ accountId }) => accountId));
  for (let run = 0; run < 5; run += 1) expect(await bench.reconcile({ pauseMs: 100 })).toMatchObject({ ok: true });
});

test('no account is undecided at rest', async () => {
  expect(await endTraffic()).toBeGreaterThan(100);
  const found = await waitFor('rest', guardTimeoutMs, async () => {
    const now = await bench.reconcile();
    return now.undecided === 0 ? now : undefined;
  });
  expect(found).toMatchObject({ ok: true, drifting: [], violations: [] });
});
