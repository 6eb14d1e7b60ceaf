/** /api/operator/reconciliation, and the worker's metrics. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { keepReconciled } from '../../../../admin/wallets/reconcile/run-reconciliation.ts';
import { readLastReconciliation } from '../../../../admin/wallets/reconcile/store-reconciliation.ts';
import { createLog } from '../../../../shared/log.ts';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { testPassword } from '../../../harness/customers.ts';
import { type Api, logIn, startApi } from '../../api/start-api.ts';
import { type Account, type ReconcileBench, startReconcileBench } from './reconcile-bench.ts';

const path = '/api/operator/reconciliation';
const log = createLog({ program: 'test', level: 'silent' });
const signal = new AbortController().signal;

let bench: ReconcileBench;
let api: Api;
let account: Account;
let operatorToken: string;

beforeAll(async () => {
  bench = await startReconcileBench();
  api = await startApi(bench.harness);
  account = await bench.open('10');
  const operator = await bench.harness.createCustomer({ usd: '0', role: 'operator' });
  operatorToken = await logIn(api, operator.email, testPassword);
});
afterAll(async () => {
  await api.stop();
  await bench.stop();
});

test('reconciliation returns 401 without a token, and 403 with an API key and for a customer', async () => {
  const token = await logIn(api, account.email, testPassword);
  for (const method of ['GET', 'POST']) {
    expect(await api.call(method, path)).toMatchObject({ status: 401, body: { error: { code: 'invalid_token' } } });
    const withKey = await api.call(method, path, { token: account.proxyKey });
    expect(withKey).toMatchObject({ status: 403, body: { error: { code: 'wrong_key_type' } } });
    const denied = await api.call(method, path, { token });
    expect(denied).toMatchObject({ status: 403, body: { error: { code: 'access_denied', type: 'permission_error' } } });
  }
  expect(await readLastReconciliation(bench.harness.database.sql)).toBeUndefined();
});

interface Reconciled {
  readonly ok: boolean;
  readonly accounts: number;
  readonly finishedAt: string;
  readonly driftingAccounts: readonly object[];
}

test('reconciliation returns 404 before the first run, which POST makes and GET then returns', async () => {
  const token = operatorToken;
  expect((await api.call('GET', path, { token })).status).toBe(404);
  const { status, body } = await api.call<Reconciled>('POST', path, { token });
  expect({ status, ok: body.ok, accounts: body.accounts }).toEqual({ status: 200, ok: true, accounts: 2 });
  expect((await api.call('GET', path, { token })).body).toEqual(body);

  await bench.harness.redis.hincrby(account.walletKey, 'available', 250_000_000);
  const { body: bad } = await api.call<Reconciled>('POST', path, { token });
  const drift = { d1: '0', d2: '0.25', d3: '0', d4: '0' };
  expect(bad).toMatchObject({ ok: false, drift, violations: [] });
  expect(bad.driftingAccounts).toEqual([{ accountId: account.accountId, email: account.email, drift }]);
  expect(Date.parse(bad.finishedAt)).toBeGreaterThan(Date.parse(body.finishedAt));
  await bench.harness.redis.hincrby(account.walletKey, 'available', -250_000_000);
});

test('only the replica in charge starts a run, and only if the last one is five minutes old', async () => {
  const { sql } = bench.harness.database;
  const services = { sql, auditor: bench.auditor, log };
  const runs = async () => Number((await sql`SELECT count(*) FROM reconciliations`)[0]?.count);
  const before = await runs();
  const step = keepReconciled(services);
  await step({ inCharge: true, signal });
  expect(await runs()).toBe(before);
  await sql`UPDATE reconciliations SET finished_at = finished_at - interval '5 minutes'`;
  await step({ inCharge: false, signal });
  expect(await runs()).toBe(before);
  await step({ inCharge: true, signal });
  expect(await runs()).toBe(before + 1);
});

test('a long run is followed by a pause of four times its length', async () => {
  const { sql } = bench.harness.database;
  const times = [0, 1_000, 61_000, 300_999, 301_000, 301_000, 301_001];
  const step = keepReconciled({ sql, auditor: bench.auditor, log }, () => times.shift() ?? Number.NaN);
  const runs = async () => Number((await sql`SELECT count(*) FROM reconciliations`)[0]?.count);
  const runsOnceDue = async () => {
    await sql`UPDATE reconciliations SET finished_at = finished_at - interval '5 minutes'`;
    const before = await runs();
    await step({ inCharge: true, signal });
    return (await runs()) - before;
  };
  expect(await runsOnceDue()).toBe(1);
  expect(await runsOnceDue()).toBe(0);
  expect(await runsOnceDue()).toBe(1);
  expect(times).toEqual([]);
});

test('admin reconciles by itself, reports to Prometheus, and logs an error if something is wrong', async () => {
  await bench.harness.redis.hincrby(account.walletKey, 'available', 1_500_000_000);
  await bench.harness.database.sql`DELETE FROM reconciliations`;
  const admin = await bench.harness.openAdmin({ LOG_LEVEL: 'info' });
  const line = await waitFor('the first run', guardTimeoutMs, async () =>
    admin.logged.find((text) => text.includes('do not agree')),
  );
  const metrics = await waitFor('its metrics', guardTimeoutMs, async () => {
    const text = await (await fetch(`${admin.url}/metrics`)).text();
    return text.includes('gateway_drift_usd{kind="d2"} 1.5\n') && text;
  });
  expect(metrics).toContain('gateway_drift_usd{kind="d1"} 0\n');
  expect(metrics).toMatch(/^gateway_reconciled_at_seconds [1-9]/m);
  expect(metrics).toContain('gateway_violations 0\n');
  expect(JSON.parse(line)).toMatchObject({ level: 'error', drift: { d2: '1.5' } });
  await admin.stop();
});
