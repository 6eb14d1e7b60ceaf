/** `gateway reconcile`: compares the wallets in Redis with the ledger, and with --repair corrects differences. */
import { GatewayError } from '../../../../shared/errors.ts';
import { WalletAuditor } from '../../../../shared/wallet/wallet-auditor.ts';
import { WalletKeeper } from '../../../../shared/wallet/wallet-keeper.ts';
import { type Database, scanWaits } from '../../../database/connect.ts';
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
import { requireAccount } from '../accounts/name-account.ts';

const reasonMaxLength = 500;

export const reconcile = command({
  description: 'Compare the wallets with the ledger, and the ledger with its own rules',
  args: {
    account: { type: 'string', description: 'Only the account with this id' },
    email: { type: 'string', description: 'Only the account of this user' },
    repair: {
      type: 'boolean',
      description: 'Correct wallets and requests in Redis that two runs find different from the ledger',
    },
    reason: { type: 'string', description: 'The reason for the repair; kept forever' },
  },
  run: ({ account, email, repair, reason }) => {
    if (account !== undefined && email !== undefined) throw new UsageError('Give --account or --email, not both.');
    const given = account === undefined ? undefined : readAccountId(account);
    const why = readReason(repair === true, reason);
    return withDatabase(
      (database) =>
        requireRedis(async (redis) => {
          const accountId = email === undefined ? given : (await requireAccount(database, email)).homeAccountId;
          if (accountId !== undefined) await requireAccountId(database, accountId);
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

function readAccountId(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError('--account must be the id of an account.');
  return Number(text);
}

/** Without this check, an account that does not exist would appear to be correct. */
async function requireAccountId({ sql }: Database, accountId: number): Promise<void> {
  const [found] = await sql`SELECT id FROM accounts WHERE id = ${accountId}`;
  if (found !== undefined) return;
  throw new GatewayError('not_found', `There is no account ${accountId}.`, { param: 'account' });
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
