/** Charges of one row each are read exactly like those of three, also where an upgraded database has both. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { bookCompactly, migrateDatabase } from '../../../admin/database/migrate.ts';
import { applyCharges } from '../../../admin/ledger/charges/apply-charges.ts';
import type { Charge } from '../../../admin/ledger/charges/read-usage-entry.ts';
import { postCredit } from '../../../admin/ledger/post-credit.ts';
import { listRequests } from '../../../admin/ledger/queries/list-requests.ts';
import { listStatement, walkTransactions } from '../../../admin/ledger/queries/list-transactions.ts';
import { readReceipt } from '../../../admin/ledger/queries/read-receipt.ts';
import { readUsage } from '../../../admin/ledger/queries/usage/read-usage.ts';
import { countLots } from '../../../admin/lots/count-lots.ts';
import { checkBooks } from '../../../admin/wallets/reconcile/checks/check-books.ts';
import { PostgresRecoveryLedger } from '../../../admin/wallets/recovery/recovery-ledger.ts';
import { nanoUsd } from '../../../shared/money.ts';
import { inCampaign } from '../../harness/campaigns.ts';
import { openFormerDatabase } from '../../harness/former-database.ts';
import { detailOf } from '../../harness/wallet/charge-detail.ts';
import { chargeOf, openLedger, readBooks, type TestLedger } from './ledger.ts';

const firstMs = Date.now() - 3_600_000;

/** Payments, and requests that may begin with an estimate, in any order and more than once. */
const histories = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('payment' as const), nano: fc.integer({ min: 1, max: 5_000 }) }),
    fc.record({
      kind: fc.constant('request' as const),
      account: fc.nat(2),
      estimateNano: fc.option(fc.nat(900), { nil: undefined }),
      /** A request whose proxy has died may keep its estimate. */
      finalNano: fc.option(fc.nat(900), { nil: undefined, freq: 8 }),
      isLate: fc.boolean(),
      isDuplicate: fc.boolean(),
      images: fc.nat(2),
      estimated: fc.boolean(),
      afterMs: fc.nat(1_500_000),
    }),
  ),
  { minLength: 6, maxLength: 40 },
);
type Step = typeof histories extends fc.Arbitrary<(infer Item)[]> ? Item : never;
type Request = Extract<Step, { kind: 'request' }>;

function chargesOf(step: Request, accountIds: readonly number[]): Charge[] {
  const { account, estimateNano, finalNano, isLate, isDuplicate, images, estimated, afterMs } = step;
  const chargedAt = new Date(firstMs + afterMs);
  const detail = detailOf({ images, variant: images > 0 ? '1024x1024/high' : '', estimated, startedAtMs: firstMs });
  const base = chargeOf(accountIds[account] ?? 0, { walletSeq: null, walletSpentNano: null, chargedAt, detail });
  const final = { ...base, rank: 2, costNano: BigInt(finalNano ?? 0) } as const;
  const estimate = { ...base, rank: 1, costNano: BigInt(estimateNano ?? 0) } as const;
  const charges: Charge[] = [];
  if (estimateNano !== undefined) charges.push(estimate);
  if (finalNano !== undefined) charges.push({ ...final, chargedAt: new Date(firstMs + afterMs + 1_000) });
  if (isLate) charges.reverse();
  return isDuplicate ? [...charges, ...charges] : charges;
}

/** Everything that is read of the ledger; without numbers that depend on what else was inserted. */
async function readAll(ledger: TestLedger, accountIds: readonly number[], requestIds: string[]) {
  const { db, sql } = ledger;
  const accounts = [];
  for (const accountId of accountIds) {
    const everything = { accountId, type: undefined, from: undefined, to: undefined };
    const { lines: statement } = await listStatement(ledger, everything, { limit: 1_000 });
    const walked = [];
    for await (const page of walkTransactions(ledger, everything, 3)) walked.push(...page);
    expect(walked).toEqual(statement.map(({ line }) => line));
    const filter = { accountId, keyId: undefined, model: undefined, from: undefined, to: undefined, behind: undefined };
    const listed = async (replacedToo: boolean) =>
      (await listRequests(ledger, { ...filter, replacedToo }, 1_000)).map(({ event, bookedNano }) => [
        event.requestId,
        event.rank,
        event.costNano,
        bookedNano,
      ]);
    const lots = await db.transaction((transaction) =>
      countLots(transaction, accountId, { billingTimeZone: 'Europe/Moscow' }),
    );
    accounts.push({
      statement: statement.map(({ line: { id, journalId, createdAt, ...line }, parts, balanceAfterNano }) => ({
        ...line,
        createdAt: line.type === 'usage' ? createdAt : null,
        parts,
        balanceAfterNano,
      })),
      requests: await listed(false),
      events: await listed(true),
      usage: await readUsage(sql, {
        ...{ accountId, from: new Date(firstMs - 900_000), to: new Date(firstMs + 7_200_000), timeZone: 'UTC' },
        ...{ groupBy: new Set(['model', 'key'] as const), rowsMax: 100 },
      }),
      lots: lots.map(({ paymentId, ...lot }) => lot),
    });
  }
  const receipts = [];
  for (const requestId of requestIds) {
    const receipt = await readReceipt(ledger, { requestId });
    receipts.push(
      receipt && [receipt.event.costNano, receipt.estimate?.costNano, receipt.lines.length, receipt.balanceAfterNano],
    );
  }
  const outcomes = await new PostgresRecoveryLedger(sql, []).readOutcomes(requestIds);
  const { violations, balances } = await readBooks(ledger);
  expect(violations).toEqual([]);
  expect((await checkBooks(sql, { accountId: undefined })).map(({ message }) => message)).toEqual([]);
  return { accounts, receipts, outcomes: [...outcomes].sort(), balances };
}

test('generated histories read alike with one row a charge, with three, and with first three, then one (campaign)', async () => {
  const ledgers = {
    compact: await openLedger(),
    withHeads: await openLedger({ compact: false }),
    upgraded: await openLedger({ compact: false }),
  };
  for (const { sql } of Object.values(ledgers)) {
    await sql`
      INSERT INTO model_prices (model, markup, provider_prompt_pico, provider_cached_prompt_pico,
        provider_completion_pico, prompt_pico, cached_prompt_pico, completion_pico)
      VALUES ('test/chat', 1000000, 1000, 1000, 1000, 1000, 1000, 1000)`;
  }
  const switchAt = (steps: readonly unknown[], index: number) => index === Math.floor(steps.length / 2);
  try {
    await fc.assert(
      fc.asyncProperty(histories, fc.integer({ min: 1, max: 9 }), async (steps, batchSize) => {
        const idsOf = async (ledger: TestLedger) => [
          await ledger.openAccount(),
          await ledger.openAccount(),
          await ledger.openAccount(),
        ];
        const accountIds = await idsOf(ledgers.compact);
        expect(await idsOf(ledgers.withHeads)).toEqual(accountIds);
        expect(await idsOf(ledgers.upgraded)).toEqual(accountIds);
        await ledgers.upgraded.sql`UPDATE ledger_settings SET compact = false`;
        const requestIds = new Set<string>();
        let batch: Charge[] = [];
        const flush = async () => {
          const applied = [];
          for (const { sql } of Object.values(ledgers)) applied.push(await applyCharges(sql, batch));
          expect(applied[1]).toEqual(applied[0]);
          expect(applied[2]).toEqual(applied[0]);
          batch = [];
        };
        for (const [index, step] of steps.entries()) {
          if (step.kind === 'payment') {
            const amountNano = nanoUsd(BigInt(step.nano));
            const [accountId = 0] = accountIds;
            const idempotencyKey = `${accountId} ${index}`;
            for (const { db } of Object.values(ledgers))
              await postCredit(db, { accountId, type: 'payment', amountNano, reason: 'test', idempotencyKey });
          } else {
            const charges = chargesOf(step, accountIds);
            for (const { requestId } of charges) requestIds.add(requestId);
            batch.push(...charges);
          }
          if (batch.length >= batchSize) await flush();
          if (switchAt(steps, index)) await bookCompactly(ledgers.upgraded.sql);
        }
        await flush();
        const compact = await readAll(ledgers.compact, accountIds, [...requestIds]);
        expect(await readAll(ledgers.withHeads, accountIds, [...requestIds])).toEqual(compact);
        expect(await readAll(ledgers.upgraded, accountIds, [...requestIds])).toEqual(compact);
      }),
      { numRuns: inCampaign(6, 25, 19), endOnFailure: true },
    );
  } finally {
    for (const ledger of Object.values(ledgers)) await ledger.close();
  }
});

test('a charge takes one row, and one with an estimate a head as well', async () => {
  const ledger = await openLedger();
  try {
    const accountId = await ledger.openAccount();
    await applyCharges(ledger.sql, [chargeOf(accountId), chargeOf(accountId, { rank: 1 })]);
    const [rows] = await ledger.sql`
      SELECT (SELECT count(*)::int FROM usage_events) AS events, (SELECT count(*)::int FROM usage_requests) AS heads,
        (SELECT count(*)::int FROM ledger_lines WHERE book = 'wallet') AS lines`;
    expect(rows).toEqual({ events: 2, heads: 1, lines: 0 });
  } finally {
    await ledger.close();
  }
});

test('a compact charge obeys the rules of lines: its journal is of its transaction, and balances', async () => {
  const ledger = await openLedger();
  try {
    const accountId = await ledger.openAccount();
    await applyCharges(ledger.sql, [chargeOf(accountId)]);
    /** A copy of the charge, changed. */
    const insert = (change: Record<string, string>) => {
      const {
        journal_id = 'journal_id',
        line_id = 'line_id',
        booked_nano = 'booked_nano',
        account_id = 'account_id',
      } = change;
      return ledger.sql.begin(async (sql) => {
        if (journal_id === 'new') {
          await sql`INSERT INTO journals (type, reason) VALUES ('usage', 'by hand')`;
        }
        const journal = journal_id === 'new' ? '(SELECT max(id) FROM journals)' : journal_id;
        await sql.unsafe(`
          CREATE TEMP TABLE copy ON COMMIT DROP AS SELECT * FROM usage_events LIMIT 1;
          UPDATE copy SET request_id = '${Bun.randomUUIDv7()}', journal_id = ${journal}, line_id = ${line_id},
            booked_nano = ${booked_nano}, account_id = ${account_id};
          INSERT INTO usage_events SELECT * FROM copy`);
      });
    };
    await expect(insert({})).rejects.toThrow('only in the transaction that made it');
    await expect(insert({ journal_id: 'new' })).rejects.toThrow('does not balance');
    await expect(insert({ journal_id: 'new', account_id: '999999' })).rejects.toThrow('there is no account 999999');
    await expect(insert({ journal_id: 'NULL' })).rejects.toThrow('usage_events_line');
    await expect(insert({ journal_id: 'NULL', line_id: 'NULL' })).rejects.toThrow('usage_events_line');
    await expect(insert({ journal_id: 'NULL', line_id: 'NULL', booked_nano: '0' })).resolves.toBeUndefined();
  } finally {
    await ledger.close();
  }
});

test('a database of version 0.1.0 is booked as it expects until an operator decides otherwise', async () => {
  const former = await openFormerDatabase('0036');
  try {
    for (const compact of [false, true]) {
      if (compact) await bookCompactly(former.sql);
      await migrateDatabase(former.url);
      const [settings] = await former.sql`SELECT compact FROM ledger_settings`;
      expect(settings?.compact).toBe(compact);
    }
  } finally {
    await former.close();
  }
});
