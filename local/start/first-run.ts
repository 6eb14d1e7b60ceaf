/**
 * Creates the demo customer with $10, the operator and the demo keys, each exactly once, however often a start is
 * interrupted.
 */
import { randomWord, readablePassword } from '../data/random.ts';
import type { Account, Progress, StateFile } from '../data/state.ts';
import { expectDone, type OperatorCommand, textOf } from './operator-command.ts';
import { together } from './together.ts';

/** Above the default alert threshold, so that the first request does not cause an alert. */
const startingUsd = '10';

export interface Customer {
  demo: Account;
  operator: Account;
  proxyKey: string;
  billingKey: string;
}

export interface FirstRunOptions {
  command: OperatorCommand;
  state: StateFile;
  /** Which database the progress belongs to. */
  database: string;
}

export async function ensureCustomer(options: FirstRunOptions): Promise<Customer> {
  const [operator, demo] = await together([ensureAccount(options, 'operator'), ensureAccount(options, 'demo')]);
  const [proxyKey, billingKey] = await together([
    ensureKey(options, { field: 'proxyKey', command: 'key', email: demo.email }),
    ensureKey(options, { field: 'billingKey', command: 'billing-key', email: demo.email }),
    ensureCredit(options, demo),
  ]);
  return { demo, operator, proxyKey, billingKey };
}

async function ensureAccount(
  { command, state, database }: FirstRunOptions,
  role: 'demo' | 'operator',
): Promise<Account> {
  const known = state.progress(database)[role];
  if (known?.isMade) return known;
  let account = known ?? { email: `${role}@example.com`, password: readablePassword(), isMade: false };
  let isTriedBefore = known !== undefined;
  for (;;) {
    // Recorded first: if the start is interrupted before the user exists, the next one still knows the password.
    state.record(database, { [role]: account });
    const result = await makeUser(command, account, role);
    if (result === 'made' || (result === 'taken' && isTriedBefore)) break;
    // The account of a data folder that no longer exists: its password is lost, so another account is created.
    account = { ...account, email: `${role}-${randomWord()}@example.com` };
    isTriedBefore = false;
  }
  const made = { ...account, isMade: true };
  state.record(database, { [role]: made });
  return made;
}

async function makeUser(command: OperatorCommand, account: Account, role: string): Promise<'made' | 'taken'> {
  const flags = role === 'operator' ? ['--operator'] : [];
  const result = await command(['user', 'create', '--email', account.email, ...flags], account.password);
  if (result.ok) return 'made';
  if (result.code === 'email_taken') return 'taken';
  throw new Error(result.message);
}

async function ensureCredit({ command, state, database }: FirstRunOptions, demo: Account): Promise<void> {
  if (state.progress(database).isCredited) return;
  const reason = ['--reason', 'starting balance of the demo customer'];
  // Retries use the same key, so the gateway books the credit only once.
  const once = ['--idempotency-key', `first-start-${demo.email}`];
  await expectDone(command(['credit', '--email', demo.email, '--usd', startingUsd, ...reason, ...once]));
  state.record(database, { isCredited: true });
}

async function ensureKey(
  { command, state, database }: FirstRunOptions,
  wanted: { field: 'proxyKey' | 'billingKey'; command: 'key' | 'billing-key'; email: string },
): Promise<string> {
  const known = state.progress(database)[wanted.field];
  if (known !== undefined) return known;
  const result = await expectDone(command([wanted.command, 'create', '--email', wanted.email, '--name', 'demo']));
  const key = textOf(result, 'key');
  const done: Progress = { [wanted.field]: key };
  state.record(database, done);
  return key;
}
