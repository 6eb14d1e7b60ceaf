/** `gateway audit`: what operators did. */
import { parseInstant } from '../../../http/request/parse-instant.ts';
import { listAudit, renderAudit } from '../../../operations/audit/list-audit.ts';
import { auditActions } from '../../../operations/audit/record-action.ts';
import { command, UsageError } from '../../command.ts';
import { listOf } from '../../list.ts';
import { limitArgument, readLimit } from '../../list-arguments.ts';
import { withDatabase } from '../../with-database.ts';
import { accountArguments, findOptionalAccount } from '../accounts/name-account.ts';

export const audit = command({
  description: 'Show what operators did, newest first',
  args: {
    ...accountArguments,
    actor: { type: 'string', description: 'Only by this e-mail address, or by cli:<system user>' },
    action: { type: 'string', description: 'Only this action, such as account.block' },
    from: { type: 'string', description: 'Not before, such as 2030-01-31T12:00:00Z' },
    to: { type: 'string', description: 'Before' },
    ...limitArgument,
  },
  run: ({ account, email, actor, ...args }) => {
    const query = {
      actor,
      action: readAction(args.action),
      from: args.from === undefined ? undefined : parseInstant(args.from, 'from'),
      to: args.to === undefined ? undefined : parseInstant(args.to, 'to'),
      beforeId: undefined,
      limit: readLimit(args.limit),
    };
    return withDatabase(async (database) => {
      const accountId = await findOptionalAccount(database, { account, email });
      const isMember = accountId === undefined && actor === undefined ? false : undefined;
      const entries = (await listAudit(database.db, { ...query, accountId, isMember })).map(renderAudit);
      const text = listOf(entries, {
        none: 'No actions.',
        columns: {
          AT: ({ at }) => at,
          ACTOR: ({ actor }) => actor,
          FROM: ({ address }) => address,
          ACTION: ({ action }) => action,
          SUBJECT: ({ subject }) => subject,
          REASON: ({ reason }) => reason,
        },
      });
      return { text, object: { entries } };
    });
  },
});

function readAction(text: string | undefined) {
  const action = auditActions.find((known) => known === text);
  if (text !== undefined && action === undefined)
    throw new UsageError(`--action must be one of ${auditActions.join(', ')}.`);
  return action;
}
