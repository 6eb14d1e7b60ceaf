/** `gateway account limits`: how fast all keys of an account together may be used. */
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
    'requests-per-minute': { type: 'string', description: `Requests per minute: ${forms}` },
    'tokens-per-minute': { type: 'string', description: `Tokens per minute: ${forms}` },
    'concurrent-streams': { type: 'string', description: `Concurrent requests: ${forms}` },
    reason: { type: 'string', description: 'The reason, for the audit log' },
  },
  run: ({ account, email, ...args }) => {
    const change: Partial<AccountLimits> = {
      ...readRate('requestsPerMinute', args['requests-per-minute']),
      ...readRate('tokensPerMinute', args['tokens-per-minute']),
      ...readRate('concurrentStreams', args['concurrent-streams']),
    };
    if (Object.keys(change).length === 0) throw new UsageError('Give a limit, such as --requests-per-minute.');
    const reason = args.reason === undefined ? undefined : readReason(args.reason);
    return withDatabase(async (database) => {
      const accountId = await findNamedAccount(database, { account, email });
      await limitAccount(database.db, commandActor(), { accountId, change, reason });
      return showAccount(database, accountId, await deliverNow(database, accountId));
    });
  },
});

function readRate(name: keyof AccountLimits, text: string | undefined): Partial<AccountLimits> {
  if (text === undefined) return {};
  if (text === 'default') return { [name]: null };
  if (!/^\d{1,10}$/.test(text) || Number(text) > rateMax) {
    throw new UsageError(`A limit must be a whole number from 0 to ${rateMax}, or default.`);
  }
  return { [name]: Number(text) };
}
