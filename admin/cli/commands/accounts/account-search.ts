/** `gateway account search`: finds accounts by owner. */
import { searchAccounts } from '../../../accounts/search-accounts.ts';
import { renderAccount } from '../../../api/operator/render-account.ts';
import { command } from '../../command.ts';
import { listOf } from '../../list.ts';
import { limitArgument, readLimit } from '../../list-arguments.ts';
import { withDatabase } from '../../with-database.ts';

export const accountSearch = command({
  description: 'Find accounts by id, INN, e-mail address, name or company',
  args: {
    text: { type: 'positional', required: false, description: 'An id or an INN, or part of one of the others' },
    blocked: { type: 'boolean', description: 'Only blocked accounts' },
    ...limitArgument,
  },
  run: ({ text, blocked, ...args }) => {
    const search = { text: text?.trim() || undefined, blocked: blocked ? true : undefined, beforeId: undefined };
    const limit = readLimit(args.limit);
    return withDatabase(async ({ db }) => {
      const accounts = (await searchAccounts(db, { ...search, limit })).map(renderAccount);
      const text = listOf(accounts, {
        none: 'No account matches.',
        columns: {
          ACCOUNT: ({ id }) => id,
          EMAIL: ({ email }) => email,
          BALANCE: ({ balance }) => `$${balance}`,
          COMPANY: ({ companyName }) => companyName,
          INN: ({ inn }) => inn,
          BLOCKED: ({ blockedAt }) => blockedAt,
        },
      });
      return { text, object: { accounts } };
    });
  },
});
