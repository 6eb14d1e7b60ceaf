/** `gateway user export`: everything about a user's account, as the zip archive that they can fetch themselves. */
import { exportAccount } from '../../../api/account/export/export-account.ts';
import { commandActor } from '../../../operations/audit/command-actor.ts';
import { recordAction } from '../../../operations/audit/record-action.ts';
import { listMembers } from '../../../organizations/members.ts';
import { command, UsageError } from '../../command.ts';
import { withDatabase } from '../../with-database.ts';
import { writeFile } from '../../write-file.ts';
import { findNamedUser, userArguments } from './name-user.ts';

const timeoutMs = 60 * 60_000;

export const userExport = command({
  description: "Write everything about a user's account to a zip file",
  args: {
    file: { type: 'positional', required: true, description: 'Where to write it' },
    ...userArguments,
  },
  run: ({ file, ...named }) =>
    withDatabase(async ({ db, archive }) => {
      const user = await findNamedUser(db, named);
      const { id, homeAccountId: accountId } = user;
      const { role } = (await listMembers(db, accountId)).find((member) => member.id === id) ?? {};
      if (role !== 'owner')
        throw new UsageError(
          `User ${id} does not own account ${accountId}, and only an owner may have all of its data.`,
        );
      // Before anything is read: access to a customer's data is always logged, even if it fails.
      const action = { action: 'account.export', subject: `user ${id}`, accountId } as const;
      await recordAction(db, commandActor(), action);
      const input = { accountId, user, sessionId: undefined, at: new Date() };
      const ending = { signal: AbortSignal.timeout(timeoutMs), onEnd: () => {} };
      await writeFile(file, await exportAccount({ db, archive }, input, ending));
      return { text: `Wrote ${file}.`, object: { file } };
    }),
});
