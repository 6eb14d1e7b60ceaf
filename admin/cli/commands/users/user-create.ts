/** `gateway user create`: creates a user with an account, or an operator. */
import { createUser, type NewUser, type User } from '../../../auth/create-user.ts';
import { parseEmail } from '../../../auth/email-address.ts';
import { PasswordHasher } from '../../../auth/passwords/password-hasher.ts';
import { checkPassword } from '../../../auth/passwords/password-rules.ts';
import type { Transaction } from '../../../database/connect.ts';
import { commandActor } from '../../../operations/audit/command-actor.ts';
import { recordAction } from '../../../operations/audit/record-action.ts';
import { command } from '../../command.ts';
import { withDatabase } from '../../with-database.ts';
import { passwordArgument, readPassword } from './read-password.ts';

export const userCreate = command({
  description: 'Create a user with an account of their own',
  args: {
    email: { type: 'string', required: true, description: 'E-mail address' },
    ...passwordArgument,
    operator: { type: 'boolean', description: 'Make them an operator' },
  },
  run: async (args) => {
    const email = parseEmail(args.email);
    const password = await readPassword(args.password);
    checkPassword(password, { email, param: 'password' });
    const role = args.operator ? 'operator' : 'customer';
    const passwordHash = await new PasswordHasher().hash(password);
    const person = { email, passwordHash, displayName: null, role, ownership: 'proven' } as const;
    const user = await withDatabase(({ db }) => db.transaction((transaction) => create(transaction, person)));
    return { text: `Created ${role} ${user.email} with id ${user.id}.`, object: { id: user.id, email: user.email } };
  },
});

async function create(transaction: Transaction, person: NewUser): Promise<User> {
  const user = await createUser(transaction, person);
  const { id, homeAccountId: accountId, email, role } = user;
  const action = { action: 'user.create', subject: `user ${id}`, accountId, after: { email, role } } as const;
  await recordAction(transaction, commandActor(), action);
  return user;
}
