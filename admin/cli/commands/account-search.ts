/** `gateway account search`: finds accounts by who is behind them. */
import { searchAccounts } from '../../accounts/search-accounts.ts';
import { renderAccount } from '../../api/render-account.ts';
import { command } from '../command.ts';
import { limitArgument, readLimit } from '../list-arguments.ts';
import { withDatabase } from '../with-database.ts';

export const accountSearch = command({
  description: 'Find accounts by id, INN, e-mail address, name or company',
  args: {
    text: { type: 'positional', required: false, description: 'An id or an INN, or a part of the others' },
    blocked: { type: 'boolean', description: 'Only blocked ones' },
    ...limitArgument,
  },
  run: ({ text, blocked, ...args }) => {
    const search = { text: text?.trim() || undefined, blocked: blocked ? true : undefined, beforeId: undefined };
    const limit = readLimit(args.limit);
    return withDatabase(async ({ db }) => {
      const accounts = (await searchAccounts(db, { ...search, limit })).map(renderAccount);
      const lines = accounts.map(({ id, email, balance, companyName, inn, blockedAt }) =>
        [id, email ?? '', `$${balance}`, companyName ?? '', inn ?? '', blockedAt === null ? '' : 'blocked'].join('\t'),
      );
      return { text: lines.length === 0 ? 'No account matches.' : lines.join('\n'), object: { accounts } };
    });
  },
});
