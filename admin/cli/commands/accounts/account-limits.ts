/** `gateway account limits`: how fast all keys of an account together may be used. */
import { perRateLimit, rateLimits } from '../../../../shared/limits/rate-limits.ts';
import { recordOf, withoutUndefined } from '../../../../shared/members.ts';
import { type AccountLimits, limitAccount } from '../../../accounts/limit-account.ts';
import { commandActor, readReason } from '../../../operations/audit/command-actor.ts';
import { command, UsageError } from '../../command.ts';
import { deliverNow } from '../../deliver-now.ts';
import { withDatabase } from '../../with-database.ts';
import { showAccount } from './account-show.ts';
import { accountArguments, findNamedAccount } from './name-account.ts';

const rateMax = 1_000_000_000;
const forms = 'a number, 0 for no limit, or default';

export const accountLimits = command({
  description: 'Change the rate limits of an account; omitted limits stay as they are',
  args: {
    ...accountArguments,
    ...recordOf(rateLimits, ({ option, label }) => [
      option,
      { type: 'string' as const, description: `${label}: ${forms}` },
    ]),
    reason: { type: 'string', description: 'The reason, for the audit log' },
  },
  run: ({ account, email, ...args }) => {
    const change: Partial<AccountLimits> = withoutUndefined(perRateLimit(({ option }) => readRate(args[option])));
    if (Object.keys(change).length === 0) throw new UsageError('Give a limit, such as --requests-per-minute.');
    const reason = args.reason === undefined ? undefined : readReason(args.reason);
    return withDatabase(async (database) => {
      const accountId = await findNamedAccount(database, { account, email });
      await limitAccount(database.db, commandActor(), { accountId, change, reason });
      return showAccount(database, accountId, await deliverNow(database, accountId));
    });
  },
});

function readRate(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === 'default') return null;
  if (!/^\d{1,10}$/.test(text) || Number(text) > rateMax) {
    throw new UsageError(`A limit must be a whole number from 0 to ${rateMax}, or default.`);
  }
  return Number(text);
}
