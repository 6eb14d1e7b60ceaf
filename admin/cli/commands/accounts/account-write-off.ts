/** `gateway account write-off`: the remaining balance of a deleted account becomes revenue. */
import { formatUsd, type NanoUsd, parseUsd } from '../../../../shared/money.ts';
import { writeOff } from '../../../accounts/deletion/write-off.ts';
import { commandActor, readReason } from '../../../operations/audit/command-actor.ts';
import { command, UsageError } from '../../command.ts';
import { deliverNow } from '../../deliver-now.ts';
import { withDatabase } from '../../with-database.ts';
import { requireRedis } from '../../with-redis.ts';
import { readId } from './name-account.ts';

export const accountWriteOff = command({
  description: 'Book the remaining balance of a deleted account as revenue',
  args: {
    account: { type: 'string', required: true, description: 'The id of the deleted account' },
    usd: { type: 'string', required: true, description: 'The balance in USD, exactly' },
    reason: { type: 'string', required: true, description: 'Why; kept in the audit log' },
  },
  run: (args) => {
    const accountId = readId(args.account, '--account');
    const input = { accountId, amountNano: readAmount(args.usd), reason: readReason(args.reason) };
    return withDatabase(async (database) => {
      const transactionId = await requireRedis((redis) => writeOff({ db: database.db, redis }, commandActor(), input));
      const inForce = await deliverNow(database, accountId);
      const writtenOffUsd = formatUsd(input.amountNano);
      return {
        text: `Wrote off ${writtenOffUsd} USD of account ${accountId}: transaction ${transactionId}. ${inForce}`,
        object: { accountId, transactionId, writtenOffUsd },
      };
    });
  },
});

function readAmount(text: string): NanoUsd {
  try {
    return parseUsd(text);
  } catch {
    throw new UsageError('--usd is an amount in USD with at most 9 decimals, such as 12.34.');
  }
}
