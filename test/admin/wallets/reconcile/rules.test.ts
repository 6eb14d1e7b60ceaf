/** Every rule of the ledger, violated as only a superuser can, is found, named and measured. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Violation } from '../../../../admin/wallets/reconcile/reconciliation.ts';
import { type Account, type ReconcileBench, startReconcileBench } from './reconcile-bench.ts';

let bench: ReconcileBench;
let account: Account;
let requestId: string;

beforeAll(async () => {
  bench = await startReconcileBench();
});
afterAll(() => bench.stop());

beforeEach(async () => {
  await bench.clear();
  account = await bench.open('10');
  requestId = await bench.spend(account, 100n);
  await bench.spend(account, 200n);
});

type Found = readonly [kind: Violation['kind'], subject: string, amountNano: bigint | null];

async function expectViolations(...expected: readonly Found[]): Promise<void> {
  const { ok, violations } = await bench.reconcile();
  const found = violations.map(({ kind, subject, amountNano }): Found => [kind, subject, amountNano]);
  expect(found).toEqual([...expected]);
  expect(ok).toBe(expected.length === 0);
}

const subjectOf = ({ accountId }: Account) => `account ${accountId}`;

test('a new ledger violates no rule', () => expectViolations());

test('a changed line is reported, and its journal, its account and its request disagree', async () => {
  await bench.tamper(`UPDATE usage_events SET booked_nano = 101 WHERE request_id = '${requestId}'`);
  const [line] = await bench.harness.database.sql`SELECT journal_id FROM journal_lines WHERE request_id = ${requestId}`;
  await expectViolations(
    ['journal_unbalanced', `journal ${line?.journal_id}`, -1n],
    ['balance_wrong', subjectOf(account), 1n],
    ['spent_wrong', subjectOf(account), -1n],
    ['request_wrong', `request ${requestId}`, -1n],
  );
});

test('a payment that was changed on both sides is reported as a different credit of the account', async () => {
  await bench.tamper(`UPDATE ledger_lines SET amount_nano = amount_nano * 2 WHERE type = 'payment'`);
  await expectViolations(
    ['balance_wrong', subjectOf(account), -10_000_000_000n],
    ['credited_wrong', subjectOf(account), -10_000_000_000n],
  );
});

test('a balance that was changed together with its parts is reported', async () => {
  await bench.tamper(`UPDATE accounts SET balance_nano = balance_nano + 5, spent_nano = spent_nano - 5`);
  await expectViolations(['balance_wrong', subjectOf(account), 5n], ['spent_wrong', subjectOf(account), -5n]);
});

test('a balance that is not credited minus spent is reported', async () => {
  await bench.harness.database.sql`ALTER TABLE accounts DROP CONSTRAINT balance_is_credited_less_spent`;
  await bench.tamper(`UPDATE accounts SET balance_nano = balance_nano + 5`);
  await expectViolations(['balance_wrong', subjectOf(account), 5n], ['balance_wrong', subjectOf(account), 5n]);
  await bench.tamper(`UPDATE accounts SET balance_nano = balance_nano - 5`);
  await bench.harness.database.sql`
    ALTER TABLE accounts ADD CONSTRAINT balance_is_credited_less_spent
    CHECK (balance_nano = credited_nano - spent_nano)`;
});

test('a request whose cost disagrees with what was booked is reported', async () => {
  await bench.tamper(`UPDATE usage_events SET cost_nano = 107 WHERE request_id = '${requestId}'`);
  await expectViolations(['request_wrong', `request ${requestId}`, 7n]);
});

test('a head without events is reported', async () => {
  const stray = Bun.randomUUIDv7();
  await bench.tamper(`INSERT INTO usage_requests VALUES ('${stray}', ${account.accountId}, 2, 3)`);
  await expectViolations(['request_wrong', `request ${stray}`, 3n]);
});

describe('a charge of three rows, as version 0.1.0 books it,', () => {
  /** Beside the compact one of each test. */
  async function bookWithHead(): Promise<string> {
    await bench.tamper('UPDATE ledger_settings SET compact = false');
    const requestId = await bench.spend(account, 100n);
    await expectViolations();
    return requestId;
  }

  test('is reported if its head disagrees with its lines and events', async () => {
    const requestId = await bookWithHead();
    await bench.tamper(`UPDATE usage_requests SET charged_nano = 107 WHERE request_id = '${requestId}'`);
    await expectViolations(['request_wrong', `request ${requestId}`, 7n]);
  });

  test('is reported if its newest event has a different cost', async () => {
    const requestId = await bookWithHead();
    await bench.tamper(`UPDATE usage_events SET cost_nano = 90 WHERE request_id = '${requestId}'`);
    await expectViolations(['request_wrong', `request ${requestId}`, 10n]);
  });

  test('is reported if its line has changed, or its head is missing', async () => {
    const requestId = await bookWithHead();
    await bench.tamper(`DELETE FROM usage_requests WHERE request_id = '${requestId}'`);
    await expectViolations(['request_wrong', `request ${requestId}`, -100n]);
    await bench.tamper(`
      UPDATE ledger_lines SET amount_nano = -101 WHERE request_id = '${requestId}';
      UPDATE ledger_lines SET amount_nano = 101 WHERE journal_id = (
        SELECT journal_id FROM ledger_lines WHERE request_id = '${requestId}') AND book = 'revenue'`);
    const violations = (await bench.reconcile()).violations.map(({ kind }) => kind);
    expect(violations).toEqual(['balance_wrong', 'spent_wrong', 'request_wrong']);
  });
});

test('a charge that was removed from the ledger is reported by its missing number', async () => {
  await bench.spend(account, 1n);
  await bench.tamper(`
    DELETE FROM usage_events WHERE request_id = '${requestId}';
    UPDATE ledger_lines SET amount_nano = 0 WHERE book = 'revenue' AND amount_nano = 100;
    UPDATE accounts SET spent_nano = spent_nano - 100, balance_nano = balance_nano + 100`);
  await expectViolations(['charge_missing', subjectOf(account), null]);
  expect((await bench.reconcile()).drift.d1).toBe(100n);
});

test('numbers that continue in a new epoch, or slightly earlier after a failover, have no gap', async () => {
  const numbers = async (epoch: number, seqs: readonly number[]) => {
    await bench.harness.redis.hset(`{s${account.shard}}:meta`, 'epoch', String(epoch));
    for (const seq of seqs) {
      await bench.harness.redis.hset(account.walletKey, 'seq', String(seq - 1));
      await bench.spend(account, 1n);
    }
  };
  await numbers(1, [3, 4, 5]);
  await numbers(2, [5, 6]);
  await expectViolations();
  await numbers(3, [1, 2]);
  await expectViolations();
  await numbers(4, [9]);
  await expectViolations(['charge_missing', subjectOf(account), null]);
});

test('an entry that could not be booked is reported until it is resolved', async () => {
  const fields = ['kind', 'charge', 'account', String(account.accountId), 'request', 'nonsense'];
  await bench.harness.redis.xadd(account.usageKey, '*', ...fields);
  await bench.book();
  const { violations } = await bench.reconcile({ accountId: account.accountId });
  expect(violations).toMatchObject([{ kind: 'usage_rejected', accountId: account.accountId }]);
  expect(violations[0]?.message).toContain('request');
});

test('a report for one account has only its own violations', async () => {
  const other = await bench.open('1');
  await bench.spend(other, 7n);
  await bench.tamper(`UPDATE usage_events SET booked_nano = 101 WHERE request_id = '${requestId}'`);
  expect((await bench.reconcile({ accountId: other.accountId })).violations).toEqual([]);
  expect((await bench.reconcile({ accountId: account.accountId })).violations).toHaveLength(4);
});
