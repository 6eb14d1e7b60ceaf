/** `gateway after-restore`: makes ledger and wallets agree after Postgres was restored to an earlier moment. */
import { counted } from '../../../../shared/counted.ts';
import { formatUsd, nanoUsd } from '../../../../shared/money.ts';
import { WalletAuditor } from '../../../../shared/wallet/wallet-auditor.ts';
import { WalletCensus } from '../../../../shared/wallet/wallet-census.ts';
import { WalletKeeper } from '../../../../shared/wallet/wallet-keeper.ts';
import { commandActor, readReason } from '../../../operations/audit/command-actor.ts';
import { type AfterRestore, runAfterRestore } from '../../../wallets/restored/after-restore.ts';
import { command } from '../../command.ts';
import { withDatabase } from '../../with-database.ts';
import { requireRedis } from '../../with-redis.ts';

export const afterRestore = command({
  description: 'Run once after Postgres was restored to an earlier moment: makes ledger and wallets agree',
  args: { reason: { type: 'string', required: true, description: 'What happened; kept forever' } },
  run: ({ reason }) => {
    const why = readReason(reason);
    return withDatabase((database) =>
      requireRedis(async (redis) => {
        const services = {
          sql: database.sql,
          auditor: new WalletAuditor(redis),
          census: new WalletCensus(redis),
          keeper: new WalletKeeper(redis),
        };
        const result = await runAfterRestore(services, { reason: why, actor: commandActor() });
        const text = [describeSums(result), lostCredits(result), forgottenAccounts(result), movingAccounts(result)];
        return { text, object: render(result), failed: result.moving.length > 0 };
      }),
    );
  },
});

const usd = (nano: bigint) => formatUsd(nanoUsd(nano));
const sumOf = (amounts: readonly bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n);

function describeSums({ reclaimed, keys, payments }: AfterRestore): string {
  const charged = reclaimed.filter(({ chargedNano }) => chargedNano > 0n).map(({ chargedNano }) => chargedNano);
  return [
    `Charges that the ledger had lost were booked: $${usd(sumOf(charged))} of ${counted(charged.length, 'account')}.`,
    `Keys: ${keys.forgotten} forgotten, ${keys.ended} deleted or deactivated again, ${keys.reverted} with earlier settings.`,
    `Providers will be asked again about ${counted(payments, 'payment')}.`,
  ].join('\n');
}

function lostCredits({ reclaimed }: AfterRestore): string {
  const lost = reclaimed.filter(({ lostCreditsNano }) => lostCreditsNano !== 0n);
  if (lost.length === 0) return 'No account has lost a credit.';
  const lines = lost.map(({ accountId, lostCreditsNano }) => `  account ${accountId}: $${usd(lostCreditsNano)}`);
  return ['Credits that have to be booked again, unless their providers report them:', ...lines].join('\n');
}

function forgottenAccounts({ forgotten }: AfterRestore): string {
  if (forgotten.length === 0) return 'No account was lost.';
  const lines = forgotten.map(
    ({ accountId, creditedNano, spentNano }) =>
      `  account ${accountId}: credited $${usd(creditedNano)}, charged $${usd(spentNano)}`,
  );
  return ['Accounts that no longer exist; their customers have to sign up again:', ...lines].join('\n');
}

function movingAccounts({ moving }: AfterRestore): string {
  if (moving.length === 0) return 'Every wallet was compared.';
  const accounts = moving.map((accountId) => `  account ${accountId}`);
  return [
    'Wallets that kept changing and were not compared. Run the command again, with the admins running:',
    ...accounts,
  ].join('\n');
}

function render({ reclaimed, forgotten, keys, payments, moving }: AfterRestore) {
  return {
    accounts: reclaimed.map(({ accountId, chargedNano, lostCreditsNano }) => ({
      accountId,
      charged: usd(chargedNano),
      lostCredits: usd(lostCreditsNano),
    })),
    forgottenAccounts: forgotten.map(({ accountId, creditedNano, spentNano }) => ({
      accountId,
      credited: usd(creditedNano),
      charged: usd(spentNano),
    })),
    keys,
    payments,
    movingAccounts: moving,
  };
}
