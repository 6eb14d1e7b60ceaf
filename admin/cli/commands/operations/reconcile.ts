/** `gateway reconcile`: compares the wallets in Redis with the ledger, and with --repair corrects differences. */
import { WalletAuditor } from '../../../../shared/wallet/wallet-auditor.ts';
import { WalletKeeper } from '../../../../shared/wallet/wallet-keeper.ts';
import { scanWaits } from '../../../database/connect.ts';
import { commandActor } from '../../../operations/audit/command-actor.ts';
import { type ReconcileOptions, reconcile as reconcileBooks } from '../../../wallets/reconcile/reconcile.ts';
import { describeReconciliation, reportOf } from '../../../wallets/reconcile/render-reconciliation.ts';
import {
  describeRepairs,
  renderRepair,
  renderRequestRepair,
} from '../../../wallets/reconcile/repair/render-repairs.ts';
import { repairDrift } from '../../../wallets/reconcile/repair/repair-drift.ts';
import type { RequestRepairServices } from '../../../wallets/reconcile/repair/repair-requests.ts';
import { command, type Outcome, UsageError } from '../../command.ts';
import { withDatabase } from '../../with-database.ts';
import { requireRedis } from '../../with-redis.ts';
import { accountArguments, findOptionalAccount } from '../accounts/name-account.ts';

const reasonMaxLength = 500;

export const reconcile = command({
  description: 'Compare the wallets with the ledger, and the ledger with its own rules',
  args: {
    ...accountArguments,
    repair: {
      type: 'boolean',
      description: 'Correct wallets and requests in Redis that two runs find different from the ledger',
    },
    reason: { type: 'string', description: 'The reason for the repair; kept forever' },
  },
  run: ({ account, email, repair, reason }) => {
    const why = readReason(repair === true, reason);
    return withDatabase(
      (database) =>
        requireRedis(async (redis) => {
          const accountId = await findOptionalAccount(database, { account, email });
          const options = { sql: database.sql, auditor: new WalletAuditor(redis), accountId };
          if (why === undefined) return justReconcile(options);
          return reconcileAndRepair({ ...options, keeper: new WalletKeeper(redis) }, why);
        }),
      scanWaits,
    );
  },
});

async function justReconcile(options: ReconcileOptions): Promise<Outcome> {
  const reconciliation = await reconcileBooks(options);
  const text = describeReconciliation(reconciliation);
  return { text, object: { ...reportOf(reconciliation) }, failed: !reconciliation.ok };
}

async function reconcileAndRepair(options: ReconcileOptions & RequestRepairServices, reason: string): Promise<Outcome> {
  const repaired = await repairDrift(options, { reason, actor: commandActor() });
  const { reconciliation, repairs, repairedRequests } = repaired;
  return {
    text: `${describeRepairs(repaired)}\n\n${describeReconciliation(reconciliation)}`,
    object: {
      ...reportOf(reconciliation),
      repairs: repairs.map(renderRepair),
      repairedRequests: repairedRequests.map(renderRequestRepair),
    },
    failed: !reconciliation.ok,
  };
}

/** Undefined without --repair. */
function readReason(repair: boolean, text: string | undefined): string | undefined {
  if (!repair && text !== undefined) throw new UsageError('--reason requires --repair.');
  if (!repair) return undefined;
  const reason = text?.trim() ?? '';
  if (reason === '' || reason.length > reasonMaxLength) {
    throw new UsageError(`--repair requires --reason with 1 to ${reasonMaxLength} characters.`);
  }
  return reason;
}
