/**
 * What has to happen once when Postgres has been restored to an earlier moment while Redis and the proxies continued.
 * Afterwards ledger and wallets agree: nothing is charged twice, and no id that was issued is given to someone else.
 * Safe to repeat.
 */
import type { Sql } from 'postgres';
import { allShards } from '../../../shared/wallet/shard.ts';
import type { WalletAuditor } from '../../../shared/wallet/wallet-auditor.ts';
import type { WalletCensus } from '../../../shared/wallet/wallet-census.ts';
import type { WalletKeeper } from '../../../shared/wallet/wallet-keeper.ts';
import { type Actor, recordActionIn } from '../../operations/audit/record-action.ts';
import type { RepairInput } from '../reconcile/repair/repair-wallet.ts';
import { WalletMovedError } from '../reconcile/repair/while-moving.ts';
import { type AdoptedKeys, adoptKeys } from './adopt-keys.ts';
import { type Reclaimed, reclaimAccount } from './reclaim-account.ts';

export interface AfterRestore {
  /** Accounts whose charges or credits the ledger had lost. */
  readonly reclaimed: readonly Reclaimed[];
  /** Accounts that were created since, with what their wallets were credited and charged. Their wallets are gone. */
  readonly forgotten: readonly MissingAccount[];
  readonly keys: AdoptedKeys;
  /** Payments whose providers will be asked again. */
  readonly payments: number;
  /** Accounts that could not be compared, because their wallets kept changing: the command has to be run again. */
  readonly moving: readonly number[];
}

export interface MissingAccount {
  readonly accountId: number;
  readonly creditedNano: bigint;
  readonly spentNano: bigint;
}

interface AfterRestoreServices {
  readonly sql: Sql;
  readonly keeper: WalletKeeper;
  readonly auditor: WalletAuditor;
  readonly census: WalletCensus;
}

/** More than any gateway gives out between a backup and its failure. */
const idsSkipped = 1_000_000;
/** Providers report payments for longer than any backup is kept. */
const paymentsPolledDays = 60;

export async function runAfterRestore(
  services: AfterRestoreServices,
  { reason, actor, ...patience }: Omit<RepairInput, 'accountId' | 'evenIfRight'>,
): Promise<AfterRestore> {
  const { sql, census } = services;
  await skipIds(sql);
  await takeEpochs(services);
  const keys = await adoptKeys(services);
  const reclaimed: Reclaimed[] = [];
  const forgotten: MissingAccount[] = [];
  const moving = new Set<number>();
  for await (const accountIds of census.accounts()) {
    const rows = await sql<{ id: string }[]>`SELECT id FROM accounts WHERE id = ANY(${[...accountIds]}::bigint[])`;
    const known = new Set(rows.map(({ id }) => Number(id)));
    for (const accountId of accountIds) {
      if (known.has(accountId)) {
        const found = await orMoving(reclaimAccount(services, { accountId, reason, actor, ...patience }));
        if (found === 'moving') moving.add(accountId);
        else if (found !== undefined) reclaimed.push(found);
      } else forgotten.push(...(await forgetAccount(services, accountId)));
    }
  }
  const payments = await pollAgain(sql);
  const result = { reclaimed, forgotten, keys, payments, moving: [...moving] };
  await recordResult(sql, { reason, actor }, result);
  return result;
}

/** One account in heavy use keeps nothing from being done for the others. */
function orMoving<Result>(reclaiming: Promise<Result>): Promise<Result | 'moving'> {
  return reclaiming.catch((error: unknown) => {
    if (error instanceof WalletMovedError) return 'moving';
    throw error;
  });
}

/** Ids that were given out after the restored moment are in customers' hands: in keys, tokens and Redis. */
async function skipIds(sql: Sql): Promise<void> {
  await sql`
    SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, coalesce(last_value, 0) + ${idsSkipped})
    FROM pg_sequences WHERE schemaname = 'public' AND data_type = 'bigint'::regtype`;
}

/** Holds of dead proxies expire only in a shard whose epoch is the same in both stores. */
async function takeEpochs({ sql, keeper }: AfterRestoreServices): Promise<void> {
  for (const shard of allShards) {
    const meta = await keeper.readMeta(shard);
    if (meta === undefined) continue;
    await sql`
      INSERT INTO shards (shard, epoch) VALUES (${shard}, ${meta.epoch})
      ON CONFLICT (shard) DO UPDATE SET epoch = greatest(shards.epoch, excluded.epoch)`;
  }
}

async function forgetAccount({ auditor, census }: AfterRestoreServices, accountId: number): Promise<MissingAccount[]> {
  const wallet = await auditor.readWallet(accountId);
  await census.forgetAccount(accountId);
  return wallet === undefined ? [] : [{ accountId, creditedNano: wallet.creditedNano, spentNano: wallet.spentNano }];
}

/** Also about those that are booked: money may have gone back since. */
async function pollAgain(sql: Sql): Promise<number> {
  const { count } = await sql`
    UPDATE payments SET next_ask_at = now()
    WHERE created_at > now() - ${paymentsPolledDays} * interval '1 day' AND provider_reference IS NOT NULL`;
  return count;
}

async function recordResult(
  sql: Sql,
  { reason, actor }: { reason: string; actor: Actor },
  { reclaimed, forgotten, keys, moving }: AfterRestore,
): Promise<void> {
  const forgottenAccounts = forgotten.map(({ accountId }) => accountId);
  const after = { accounts: reclaimed.length, forgottenAccounts, movingAccounts: moving, ...keys };
  await sql.begin((transaction) =>
    recordActionIn(transaction, actor, { action: 'ledger.restore', subject: 'the ledger', reason, after }),
  );
}
