/** Delivers a command's change to Redis immediately if possible, and says whether it did. */
import type { KeyKind } from '../../shared/keys/api-key.ts';
import { WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';
import type { Database } from '../database/connect.ts';
import { deliverOutbox } from '../wallets/deliver-outbox.ts';
import { withRedis } from './with-redis.ts';

const inForce = 'It is effective now.';
const later = 'Redis cannot be reached from here; the running admin will deliver it.';

/** A sentence for the operator. */
export async function deliverNow({ sql }: Database, accountId: number): Promise<string> {
  const delivered = await withRedis((redis) => deliverOutbox({ sql, keeper: new WalletKeeper(redis) }, accountId));
  return delivered ? inForce : later;
}

/** Billing keys are looked up in Postgres, so a change is effective as soon as it is committed. */
export async function deliverKey(database: Database, key: { accountId: number; kind: KeyKind }): Promise<string> {
  return key.kind === 'proxy' ? deliverNow(database, key.accountId) : inForce;
}
