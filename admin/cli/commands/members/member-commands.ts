/** `gateway member list`, `role` and `remove`: the people of an organization, also of one whose owner has left the company. */
import { checkValue } from '../../../../shared/http/check-value.ts';
import { renderMember, roleBody } from '../../../api/organizations/organization-schemas.ts';
import { mayHaveKeys, roles } from '../../../auth/permissions.ts';
import type { Database } from '../../../database/connect.ts';
import { commandActor } from '../../../operations/audit/command-actor.ts';
import { changeRole, listMembers, removeMember } from '../../../organizations/members.ts';
import { command, type Outcome } from '../../command.ts';
import { deliverNow } from '../../deliver-now.ts';
import { listOf } from '../../list.ts';
import { withDatabase } from '../../with-database.ts';
import { accountArguments, findNamedAccount } from '../accounts/name-account.ts';
import { findNamedUser, userArguments } from '../users/name-user.ts';

type Shown = ReturnType<typeof renderMember>;

const columns = {
  USER: ({ id }: Shown) => id,
  ROLE: ({ role }: Shown) => role,
  'TWO FACTORS': ({ twoFactor }: Shown) => (twoFactor ? 'yes' : 'no'),
  JOINED: ({ joinedAt }: Shown) => joinedAt,
  'LAST SEEN': ({ lastSeenAt }: Shown) => lastSeenAt,
  EMAIL: ({ email }: Shown) => email,
  NAME: ({ displayName }: Shown) => displayName,
};

const memberArguments = {
  account: { type: 'string', required: true, description: "The organization's account" },
  ...userArguments,
} as const;

const keysArgument = {
  'keys-to': {
    type: 'string',
    description: 'The e-mail address of the member who takes over their keys, which are deactivated otherwise',
  },
} as const;

async function findSuccessor({ db }: Database, email: string | undefined): Promise<number | null> {
  return email === undefined ? null : (await findNamedUser(db, { email })).id;
}

export const memberList = command({
  description: 'List the members of an organization',
  args: accountArguments,
  run: (named) => withDatabase(async (database) => shown(database, await findNamedAccount(database, named))),
});

export const memberRole = command({
  description: 'Change what a member may do; finance and auditors have no proxy keys',
  args: {
    ...memberArguments,
    role: { type: 'string', required: true, description: roles.join(', ') },
    ...keysArgument,
  },
  run: ({ account, role: given, 'keys-to': keysTo, ...named }) => {
    const { role } = checkValue(roleBody, { role: given });
    return withDatabase(async (database) => {
      const accountId = await findNamedAccount(database, { account });
      const { id: userId } = await findNamedUser(database.db, named);
      const successor = await findSuccessor(database, keysTo);
      await changeRole(database.db, commandActor(), { id: null, accountId }, { userId, role, successor });
      return shown(database, accountId, mayHaveKeys(role) ? [] : ['', await deliverNow(database, accountId)]);
    });
  },
});

export const memberRemove = command({
  description: 'Remove someone from an organization: their sessions in it end, and so do their keys',
  args: { ...memberArguments, ...keysArgument },
  run: ({ account, 'keys-to': keysTo, ...named }) =>
    withDatabase(async (database) => {
      const { db } = database;
      const accountId = await findNamedAccount(database, { account });
      const { id: userId } = await findNamedUser(db, named);
      const successor = await findSuccessor(database, keysTo);
      await removeMember(db, commandActor(), { id: null, accountId }, { userId, successor });
      return shown(database, accountId, ['', await deliverNow(database, accountId)]);
    }),
});

async function shown({ db }: Database, accountId: number, more: readonly string[] = []): Promise<Outcome> {
  const members = (await listMembers(db, accountId)).map(renderMember);
  const list = listOf(members, { none: `Account ${accountId} has no members.`, columns });
  return { text: [list, ...more], object: { members } };
}
