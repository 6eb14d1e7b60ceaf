/**
 * `gateway account show`: balance, limits, users, keys and the newest transactions of an account. Commands that change
 * an account show it in the same way.
 */

import { type PerRateLimit, rateLimits } from '../../../../shared/limits/rate-limits.ts';
import { WalletKeeper } from '../../../../shared/wallet/wallet-keeper.ts';
import { type AccountView, readAccount } from '../../../accounts/read-account.ts';
import { renderAccountDetail } from '../../../api/operator/render-account.ts';
import type { Database } from '../../../database/connect.ts';
import { command, type Outcome } from '../../command.ts';
import { type List, listOf } from '../../list.ts';
import { withDatabase } from '../../with-database.ts';
import { withRedis } from '../../with-redis.ts';
import { keyColumns } from '../keys/key-columns.ts';
import { transactionColumns } from '../money/transaction-options.ts';
import { accountArguments, findNamedAccount } from './name-account.ts';

export const accountShow = command({
  description: 'Show an account',
  args: accountArguments,
  run: (named) => withDatabase(async (database) => showAccount(database, await findNamedAccount(database, named))),
});

/** `before` is printed first. */
export async function showAccount({ db }: Database, accountId: number, before?: string): Promise<Outcome> {
  let account: AccountView | undefined;
  const seen = await withRedis(async (redis) => {
    account = await readAccount({ db, keeper: new WalletKeeper(redis) }, accountId);
  });
  if (!seen) account = await readAccount({ db, keeper: undefined }, accountId);
  if (account === undefined) throw new Error(`account ${accountId} no longer exists`);
  const detail = renderAccountDetail(account);
  const text = [...(before === undefined ? [] : [before, '']), ...describeAccount(detail)];
  return { text, object: detail };
}

function describeAccount(account: ReturnType<typeof renderAccountDetail>): (string | List)[] {
  const { limits, wallet, users, keys, transactions } = account;
  return [
    `Account ${account.id}, ${account.accountType}${account.companyName === null ? '' : `, ${account.companyName}`}`,
    `Balance    $${account.balance} (credited $${account.credited}, spent $${account.spent})`,
    `Wallet     ${wallet === null ? 'none in Redis' : `$${wallet.available} available, $${wallet.reserved} reserved`}`,
    `Blocked    ${account.blockedAt ?? 'no'}`,
    ...(account.deletedAt === null ? [] : [`Deleted    ${account.deletedAt}`]),
    `Limits     ${describeLimits(limits)}`,
    '',
    listOf(users, {
      none: 'No users.',
      columns: {
        USER: ({ id }) => id,
        EMAIL: ({ email }) => email,
        ROLE: ({ role, organizationRole }) =>
          role === 'operator' ? `${organizationRole}, operator` : organizationRole,
      },
    }),
    '',
    listOf(keys, { none: 'No keys.', columns: keyColumns }),
    '',
    listOf(transactions, { none: 'No transactions.', columns: transactionColumns }),
  ];
}

/** `600 requests and 20000 tokens per minute, default concurrent requests` */
function describeLimits(limits: PerRateLimit<number | null>): string {
  const rate = (value: number | null) => (value === null ? 'default' : value === 0 ? 'unlimited' : String(value));
  const byWindow = Map.groupBy(rateLimits, ({ window }) => (window === undefined ? '' : ` per ${window.per}`));
  const groups = Array.from(byWindow, ([per, rows]) => {
    return `${rows.map(({ name, noun }) => `${rate(limits[name])} ${noun}s`).join(' and ')}${per}`;
  });
  return groups.join(', ');
}
