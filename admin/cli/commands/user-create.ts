/** `gateway user create`: makes a user with an account, or an operator. */
import { createUser } from '../../auth/create-user.ts';
import { parseEmail } from '../../auth/email-address.ts';
import { PasswordHasher } from '../../auth/password-hasher.ts';
import { checkPassword } from '../../auth/password-rules.ts';
import { command } from '../command.ts';
import { withDatabase } from '../with-database.ts';

const fromStandardInput = '-';

export const userCreate = command({
  description: 'Make a user with an account of his own',
  args: {
    email: { type: 'string', required: true, description: 'E-mail address' },
    password: { type: 'string', required: true, description: 'Password, or - to read it from standard input' },
    operator: { type: 'boolean', description: 'Give him the role of an operator' },
  },
  run: async (args) => {
    const email = parseEmail(args.email);
    const password = args.password === fromStandardInput ? await readLine() : args.password;
    checkPassword(password, { email, param: 'password' });
    const role = args.operator ? 'operator' : 'customer';
    const passwordHash = await new PasswordHasher().hash(password);
    const user = await withDatabase(({ db }) => createUser(db, { email, passwordHash, displayName: null, role }));
    return { text: `Made ${role} ${user.email} with id ${user.id}.`, object: { id: user.id, email: user.email } };
  },
});

async function readLine(): Promise<string> {
  const text = await Bun.stdin.text();
  return text.replace(/\r?\n$/, '');
}
