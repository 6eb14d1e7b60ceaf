/**
 * Answers what entries of the usage stream ask of the ledger: wallets, what was spent, the new hash of a key.
 *
 * An answer that fails is reported and given up: trying it again would keep the charges of every account of the shard in the
 * stream. The proxy asks again for as long as it needs the answer.
 */
import type { Scope } from '../../shared/limits/budget-levels.ts';
import type { Log } from '../../shared/log.ts';
import type { WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';
import type { Database } from '../database/connect.ts';
import { findOutage } from '../database/unavailable.ts';
import { type Asked, hydrateSpend, showKeySpend } from '../keys/hydrate-spend.ts';
import { type Rehash, rehashKey } from '../keys/rehash-key.ts';
import { hydrateWallets } from '../ledger/hydrate-wallets.ts';
import { reportAccountFault } from './account-fault.ts';

interface AnswerServices {
  readonly database: Database;
  readonly keeper: WalletKeeper;
  readonly log: Log;
}

export interface Questions {
  /** Accounts without a wallet in Redis. */
  readonly wallets: ReadonlySet<number>;
  readonly spends: readonly (readonly [Scope, Asked])[];
  /** The account of each key whose spending is only shown. */
  readonly shownKeys: ReadonlyMap<number, number>;
  readonly rehashes: readonly Rehash[];
}

/** Rejects only while Postgres is away. */
export async function answerQuestions(
  { database, keeper, log }: AnswerServices,
  { wallets, spends, shownKeys, rehashes }: Questions,
): Promise<void> {
  const services = { sql: database.sql, keeper };
  const answer = async (accountId: number, give: () => Promise<void>) => {
    try {
      await give();
    } catch (error) {
      if (findOutage(error) !== undefined) throw error;
      reportAccountFault(log, accountId, error);
    }
  };
  try {
    await hydrateWallets(services, [...wallets]);
  } catch {
    for (const accountId of wallets) await answer(accountId, () => hydrateWallets(services, [accountId]));
  }
  for (const [scope, asked] of spends) {
    await answer(scope.accountId, () => hydrateSpend(services, scope, asked));
  }
  for (const [keyId, accountId] of shownKeys) {
    await answer(accountId, () => showKeySpend(services, { accountId, keyId }, new Date()));
  }
  for (const rehash of rehashes) await answer(rehash.accountId, () => rehashKey(database.db, rehash));
}
