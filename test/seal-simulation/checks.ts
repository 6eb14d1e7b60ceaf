/** What has to be so at rest, and what has to be found once a sealed month was changed. */
import { join } from 'node:path';
import type { TransactionSql } from 'postgres';
import { listStatement } from '../../admin/ledger/queries/list-transactions.ts';
import { readReceipt } from '../../admin/ledger/queries/read-receipt.ts';
import { problemsByHour, sealedMonths } from './steps.ts';
import type { World } from './world.ts';

/** Each request is charged once, what it has cost, and each balance is what was paid less that. */
export async function checkTruth(world: World): Promise<void> {
  const { ledger, requests, credited } = world;
  const spent = new Map<number, bigint>();
  for (const { requestId, accountId, costNano } of requests.values()) {
    const receipt = await readReceipt(ledger, { requestId, accountId });
    const chargedNano = receipt?.lines.reduce((sum, { amountNano }) => sum - amountNano, 0n);
    if (chargedNano !== costNano) world.violate(`${requestId} is charged ${chargedNano}, and has cost ${costNano}`);
    spent.set(accountId, (spent.get(accountId) ?? 0n) + costNano);
  }
  const rows = await ledger.sql<{ id: string; balance_nano: string }[]>`SELECT id, balance_nano FROM accounts`;
  for (const { id, balance_nano: balance } of rows) {
    const accountId = Number(id);
    const truth = (credited.get(accountId) ?? 0n) - (spent.get(accountId) ?? 0n);
    if (BigInt(balance) !== truth) world.violate(`account ${id} has ${balance} instead of ${truth}`);
    const all = { accountId, type: undefined, from: undefined, to: undefined };
    const { lines } = await listStatement(ledger, all, { limit: 1, offset: 0 });
    const last = lines[0]?.balanceAfterNano ?? 0n;
    if (last !== truth) world.violate(`the statement of account ${id} ends with ${last} instead of ${truth}`);
  }
}

/** Somebody with every right in the database or the storage changes something of a sealed month. Returns what, or undefined. */
async function change(world: World, month: string): Promise<string | undefined> {
  const { ledger, random } = world;
  const suffix = month.replace('-', '_');
  const file = `usage-${month}.parquet`;
  const isArchived = (await ledger.archive.store.list('usage-')).includes(file);
  const way = random.pick(['charge', 'line', 'missing charge', 'account', 'block', 'file'] as const);
  if (way === 'file') return isArchived ? flipBit(world, file) : undefined;
  const first = month.concat('-01');
  const changed = await ledger.sql.begin(async (transaction) => {
    await transaction`SET LOCAL session_replication_role = replica`;
    switch (way) {
      case 'charge':
        return changeRow(
          transaction,
          `usage_events_${suffix}`,
          'UPDATE $ SET completion_tokens = completion_tokens + 1',
        );
      case 'missing charge':
        return changeRow(transaction, `usage_events_${suffix}`, 'DELETE FROM $');
      case 'line':
        return changeRow(transaction, `ledger_lines_${suffix}`, 'UPDATE $ SET amount_nano = amount_nano + 1');
      case 'account':
        return (
          await transaction`
            UPDATE sealed_accounts SET balance_nano = balance_nano + 1
            WHERE month = ${first} AND account_id = (SELECT min(account_id) FROM sealed_accounts WHERE month = ${first})`
        ).count;
      case 'block':
        return (
          await transaction`
            UPDATE sealed_blocks SET rows = rows + 1 WHERE month = ${first} AND number = 0`
        ).count;
    }
  });
  return changed > 0 ? way : undefined;
}

/** Any row of a partition, which stands for `$`. Returns how many were changed: none if it is gone or empty. */
async function changeRow(transaction: TransactionSql, partition: string, statement: string): Promise<number> {
  const [found] = await transaction`SELECT WHERE to_regclass(${partition}) IS NOT NULL`;
  if (found === undefined) return 0;
  const anyRow = `WHERE ctid = (SELECT ctid FROM ${partition} ORDER BY random() LIMIT 1)`;
  return (await transaction.unsafe(`${statement.replace('$', partition)} ${anyRow}`)).count;
}

async function flipBit({ ledger, random }: World, name: string): Promise<string> {
  const path = join(ledger.archivePath, name);
  const bytes = await Bun.file(path).bytes();
  const place = random.integer(0, bytes.length - 1);
  bytes[place] = (bytes[place] ?? 0) ^ (1 << random.integer(0, 7));
  await Bun.write(path, bytes);
  return 'file';
}

/** Returns what was changed; undefined if there was nothing to change. */
export async function checkThatChangesShow(world: World): Promise<string | undefined> {
  const month = world.random.pickIfAny(await sealedMonths(world));
  if (month === undefined) return undefined;
  const way = await change(world, month);
  if (way === undefined) return undefined;
  const found = await problemsByHour(world);
  if (!found.has(month)) world.violate(`a changed ${way} of ${month} was not found`);
  return way;
}
