/** Money that does not add up, as only a person with access to the stores can cause. */
import { runReconciliation } from '../../../../admin/wallets/reconcile/run-reconciliation.ts';
import { createLog } from '../../../../shared/log.ts';
import { shardOfAccount } from '../../../../shared/wallet/shard.ts';
import { WalletAuditor } from '../../../../shared/wallet/wallet-auditor.ts';
import { keysOfShard, walletKey } from '../../../../shared/wallet/wallet-keys.ts';
import type { Product } from '../product/product.ts';
import type { Fault } from './fault.ts';

export const moneyFaults: readonly Fault[] = [
  {
    name: 'a wallet in Redis is changed by hand',
    fires: ['WalletDrift'],
    begin: async (product) => {
      const { accountId } = await product.openAccount();
      const key = walletKey(keysOfShard(shardOfAccount(accountId)).tag, accountId);
      const change = async (nano: number) => {
        await product.redis.hincrby(key, 'available', nano);
        await reconcileNow(product);
      };
      await change(1_000_000);
      return () => change(-1_000_000);
    },
  },
  {
    name: 'a charge in Postgres is changed by hand',
    fires: ['LedgerViolations'],
    begin: async (product) => {
      const change = async (operator: '+' | '-') => {
        await tamper(product, `UPDATE usage_events SET cost_nano = cost_nano ${operator} 1 WHERE request_id = `);
        await reconcileNow(product);
      };
      await change('+');
      return () => change('-');
    },
  },
  {
    name: 'a charge that no version can read comes from Redis',
    fires: ['RejectedUsage'],
    mayFire: ['LedgerViolations'],
    begin: async ({ redis, database, customers: [customer] }) => {
      const shard = shardOfAccount(customer?.accountId ?? 0);
      await redis.xadd(keysOfShard(shard).usage, '*', 'entry', '{"kind":"charge from the future"}');
      // It was no charge, so nothing is lost with it.
      return () => database.sql`DELETE FROM usage_rejects`;
    },
  },
];

/** Admin does it every five minutes. */
async function reconcileNow({ database, redis }: Product): Promise<void> {
  const log = createLog({ program: 'alerts', level: 'silent' });
  await runReconciliation({ sql: database.sql, auditor: new WalletAuditor(redis), log });
}

/** Always the same charge, past the triggers that protect it. */
async function tamper({ database }: Product, statement: string): Promise<void> {
  await database.sql.begin(async (transaction) => {
    await transaction`SET LOCAL session_replication_role = replica`;
    await transaction.unsafe(`${statement}(SELECT min(request_id::text) FROM usage_events)::uuid`);
  });
}
