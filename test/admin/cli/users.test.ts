/** Users at the command line: their passwords, which no process list shows, and operators. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Withdrawals } from '../../../shared/wallet/withdrawals.ts';
import { createMember } from '../../dashboard/harness/organization.ts';
import { violationsAtRest } from '../../harness/books.ts';
import { transpiled } from '../../harness/programs.ts';
import { readZip } from '../../harness/read-files.ts';
import { type Harness, startHarness } from '../../harness.ts';
import { openShards } from '../api/payments/start-payments.ts';
import type { AuditList } from '../api/response-types.ts';
import { type Gateway, gatewayOf, runTogether } from './run-gateway.ts';

interface ShownUser {
  readonly id: number;
  readonly email: string;
  readonly role: string;
  readonly accountId: number;
}

let harness: Harness;
let gateway: Gateway;
beforeAll(async () => {
  harness = await startHarness();
  gateway = gatewayOf(harness);
});
afterAll(() => harness.stop());

const password = 'three-quiet-otters-sing';
const randomEmail = () => `${crypto.randomUUID()}@example.com`;
const run = <Json>(...args: string[]) => gateway<Json>([...args, '--json']);
const hashOf = async (email: string): Promise<string> =>
  (await harness.database.sql`SELECT password_hash FROM users WHERE email = ${email}`)[0]?.password_hash;
const newestEntry = async () => (await run<AuditList>('audit', '--limit', '1')).json.entries[0];

/** The home of someone who has made another person its owner, and is no owner any more. */
async function sharedAccount() {
  const former = await harness.createCustomer({ usd: '0' });
  const { accountId } = former;
  const owner = await createMember(harness, { accountId, role: 'owner' });
  await harness.database.sql`
    UPDATE memberships SET role = 'member' WHERE account_id = ${accountId} AND user_id = ${former.userId}`;
  return { former, owner, account: String(accountId) };
}

/** Types each response when the terminal asks for it. */
async function onTerminal(args: readonly string[], responses: readonly string[]) {
  let shown = '';
  const waiting = [...responses];
  const ended = Promise.withResolvers<void>();
  const child = Bun.spawn([process.execPath, 'admin/cli/main.ts', ...args], {
    cwd: join(import.meta.dir, '../../..'),
    env: { ...transpiled, DATABASE_URL: harness.databaseUrl, DATA_DIR: harness.directory },
    terminal: {
      data: (terminal, bytes) => {
        const text = new TextDecoder().decode(bytes);
        shown += text;
        if (/assword: $/.test(text)) terminal.write(waiting.shift() ?? '\u0003');
      },
      exit: () => ended.resolve(),
    },
  });
  const exitCode = await child.exited;
  await ended.promise;
  return { exitCode, shown };
}

describe('a password', () => {
  test('is prompted for twice on a terminal, and never shown', async () => {
    const email = randomEmail();
    const { exitCode, shown } = await onTerminal(
      ['user', 'create', '--email', email],
      [`x\u007f${password}\r`, `${password}\r`],
    );
    expect({ exitCode, shown }).toMatchObject({ exitCode: 0, shown: expect.stringContaining('Repeat password: ') });
    expect(shown).not.toContain('otters');
    expect(await Bun.password.verify(password, await hashOf(email))).toBe(true);
  });

  test.each([
    ['two that differ', [`${password}\r`, `${password}!\r`], 'The passwords do not match.'],
    ['Ctrl-C', ['\u0003'], 'No password was given.'],
  ])('a password of %s creates no user', async (_, responses, message) => {
    const email = randomEmail();
    const { exitCode, shown } = await onTerminal(['user', 'create', '--email', email], responses);
    expect({ exitCode, shown }).toMatchObject({ exitCode: 2, shown: expect.stringContaining(message) });
    expect(await hashOf(email)).toBeUndefined();
  });

  test('is read from standard input that is not a terminal, and is required', async () => {
    const email = randomEmail();
    const made = await gateway(['user', 'create', '--email', email, '--password', '-'], { input: `${password}\r\n` });
    expect(made.exitCode).toBe(0);
    expect(await Bun.password.verify(password, await hashOf(email))).toBe(true);
    const none = await gateway(['user', 'create', '--email', randomEmail(), '--json'], { input: '' });
    expect(none).toMatchObject({ exitCode: 2, error: { code: 'usage' } });
  });
});

test('user list and show find users, with the API’s output', async () => {
  const customer = await harness.createCustomer({ usd: '0' });
  const operator = await harness.createCustomer({ usd: '0', role: 'operator' });
  const shown = await run<ShownUser>('user', 'show', '--email', customer.email.toUpperCase());
  expect(shown.json).toEqual({
    id: customer.userId,
    accountId: customer.accountId,
    email: customer.email,
    displayName: null,
    role: 'customer',
    emailVerified: false,
    createdAt: expect.any(String),
  } as never);
  expect((await run('user', 'show', '--id', String(customer.userId))).json).toEqual(shown.json);

  const found = await run<{ users: ShownUser[] }>('user', 'list', customer.email.slice(0, 20));
  expect(found.json.users).toEqual([shown.json]);
  const operators = await run<{ users: ShownUser[] }>('user', 'list', '--operators');
  expect(operators.json.users.map(({ email }) => email)).toEqual([operator.email]);
  expect((await gateway(['user', 'list', 'nobody at all'])).out).toBe('No user matches.\n');
});

test('user promote and demote change the role once, and log the reason', async () => {
  await harness.createCustomer({ usd: '0', role: 'operator' });
  const { email, userId, accountId } = await harness.createCustomer({ usd: '0' });
  const promoted = await run<ShownUser>('user', 'promote', '--email', email, '--reason', 'joins the support');
  expect(promoted.json).toMatchObject({ id: userId, role: 'operator' });
  const entry = await newestEntry();
  expect(entry).toMatchObject({
    action: 'user.promote',
    subject: `user ${userId}`,
    accountId,
    reason: 'joins the support',
    before: { role: 'customer' },
    after: { role: 'operator' },
  });
  await run('user', 'promote', '--email', email);
  expect(await newestEntry()).toEqual(entry);
  expect((await run<ShownUser>('user', 'demote', '--id', String(userId))).json.role).toBe('customer');
  expect(await newestEntry()).toMatchObject({ action: 'user.demote' });
});

test('user reset-password changes the password, ends every session, mails the user and logs no secret', async () => {
  const { email, userId } = await harness.createCustomer({ usd: '0' });
  await harness.database.sql`
    INSERT INTO refresh_tokens (user_id, family, token_hash, expires_at)
    VALUES (${userId}, ${crypto.randomUUID()}, 'x', now() + interval '1 day')`;
  const reset = await gateway(['user', 'reset-password', '--email', email, '--json'], { input: password });
  expect(reset).toMatchObject({ exitCode: 0, json: { id: userId, email } });
  expect(await Bun.password.verify(password, await hashOf(email))).toBe(true);
  const [activeSessions] = await harness.database.sql`
    SELECT count(*)::int FROM refresh_tokens WHERE user_id = ${userId} AND revoked_at IS NULL`;
  expect(activeSessions?.count).toBe(0);
  const mails = await harness.database.sql`SELECT kind FROM mails WHERE recipient = ${email}`;
  expect([...mails]).toEqual([{ kind: 'password_changed' }]);
  const entry = await newestEntry();
  expect(entry).toMatchObject({ action: 'user.reset_password', subject: `user ${userId}` });
  expect(JSON.stringify(entry)).not.toContain('otters');

  const weak = await run('user', 'reset-password', '--email', email, '--password', 'password1234');
  expect(weak).toMatchObject({ exitCode: 1, error: { code: 'invalid_parameter', param: 'password' } });
});

test("user export writes the API's archive, readable only by its owner, and leaves an audit entry", async () => {
  const { email, userId, accountId } = await harness.createCustomer({ usd: '3.5' });
  const file = join(harness.directory, 'export.zip');
  expect((await run('user', 'export', file, '--email', email)).json).toEqual({ file });
  const files = readZip(await Bun.file(file).bytes());
  expect(JSON.parse(files.get('profile.json') ?? '')).toMatchObject({ id: userId, accountId, email });
  expect(files.get('transactions.csv')).toContain(',payment,3.5,USD,');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await newestEntry()).toMatchObject({ action: 'account.export', subject: `user ${userId}`, accountId });

  const unwritable = await run('user', 'export', join(harness.directory, 'no/such/folder.zip'), '--email', email);
  expect(unwritable).toMatchObject({ exitCode: 1, error: { code: 'file_unwritable' } });
});

test('user export refuses someone who only belongs to the account that was once theirs', async () => {
  const { owner, former } = await sharedAccount();
  const file = join(harness.directory, 'shared.zip');
  expect((await run('user', 'export', file, '--email', former.email)).exitCode).toBe(2);
  expect(await Bun.file(file).exists()).toBe(false);
  expect((await run('user', 'export', file, '--email', owner.email)).exitCode).toBe(0);
});

test('the last operator is never demoted, and one of two demoted concurrently stays an operator', async () => {
  await harness.database.sql`UPDATE users SET role = 'customer'`;
  const operators = [
    await harness.createCustomer({ usd: '0', role: 'operator' }),
    await harness.createCustomer({ usd: '0', role: 'operator' }),
  ];
  const results = await runTogether(
    harness,
    operators.map(({ email }) => ['user', 'demote', '--email', email, '--json']),
  );
  expect(results.map(({ error }) => error?.code).sort()).toEqual(['last_operator', undefined]);
  const [left] = await harness.database.sql`SELECT count(*)::int FROM users WHERE role = 'operator'`;
  expect(left?.count).toBe(1);
});

describe('account write-off', () => {
  beforeAll(() => openShards(harness));
  const argumentsFor = (accountId: number, usd: string) => [
    ...['account', 'write-off', '--account', String(accountId)],
    ...['--usd', usd, '--reason', 'Expired', '--json'],
  ];
  const writeOff = (accountId: number, usd: string) => gateway<{ writtenOffUsd: string }>(argumentsFor(accountId, usd));
  const deleted = async (usd: string) => {
    const customer = await harness.createCustomer({ usd });
    await run('user', 'delete', '--email', customer.email, '--reason', 'x', '--forfeit-balance', usd);
    return customer;
  };

  test('turns the remaining balance of a deleted account into revenue, once and exactly', async () => {
    const { sql } = harness.database;
    const { accountId } = await deleted('12.34');
    expect((await writeOff(accountId, '12')).error).toMatchObject({
      code: 'balance_left',
      details: { balanceUsd: '12.34' },
    });
    const results = await runTogether(
      harness,
      [1, 2].map(() => argumentsFor(accountId, '12.34')),
    );
    expect(results.map(({ exitCode }) => exitCode).sort()).toEqual([0, 1]);
    const lines = await sql`
      SELECT book, amount_nano::text AS nano FROM ledger_lines
      WHERE journal_id = (SELECT max(journal_id) FROM ledger_lines WHERE account_id = ${accountId}) ORDER BY book`;
    expect([...lines]).toEqual([
      { book: 'revenue', nano: '12340000000' },
      { book: 'wallet', nano: '-12340000000' },
    ]);
    expect(await violationsAtRest(harness, [accountId])).toEqual([]);
    expect(await harness.keeper.readWallet(accountId)).toMatchObject({ availableNano: 0n, heldNano: 0n });
    expect(await newestEntry()).toMatchObject({ action: 'account.write_off', accountId, reason: 'Expired' });
    expect((await writeOff(accountId, '12.34')).error).toMatchObject({ code: 'balance_left' });
  });

  test('refuses an account that is not deleted, and money that a request still holds', async () => {
    const customer = await harness.createCustomer({ usd: '5' });
    expect((await writeOff(customer.accountId, '5')).error).toMatchObject({ code: 'invalid_parameter' });
    const { accountId } = await deleted('7');
    const hold = { amountNano: 1n, lowestNano: 1n, holdMs: 60_000 };
    await new Withdrawals(harness.redis).setAside({ id: crypto.randomUUID(), accountId }, hold);
    expect((await writeOff(accountId, '7')).error).toMatchObject({ code: 'balance_reserved' });
  });
});

describe('user delete', () => {
  test('deletes the user with account and keys, once a balance was confirmed', async () => {
    const { email, userId, accountId } = await harness.createCustomer({ usd: '12.34' });
    const remove = (...more: string[]) => run('user', 'delete', '--email', email, ...more);
    expect((await remove()).exitCode).toBe(2);
    const refused = await remove('--reason', 'asked for');
    expect(refused).toMatchObject({ exitCode: 1, error: { code: 'balance_left', details: { balanceUsd: '12.34' } } });
    expect((await remove('--reason', 'asked for', '--forfeit-balance', 'all')).exitCode).toBe(2);
    const deleted = await remove('--reason', 'asked for', '--forfeit-balance', '12.34');
    expect(deleted.json as object).toEqual({
      id: userId,
      accountId,
      deletedAt: expect.any(String),
      forfeitedBalanceUsd: '12.34',
      keysDeleted: 2,
    });
    expect(await newestEntry()).toMatchObject({ action: 'account.delete', accountId, reason: 'asked for' });
    expect((await remove('--reason', 'again')).error?.code).toBe('not_found');
    expect((await run<{ users: ShownUser[] }>('user', 'list', `deleted-${userId}`)).json.users).toEqual([]);
    expect((await gateway(['account', 'show', '--account', String(accountId)])).out).toMatch(/^Deleted {4}20/m);
  });

  test('leaves an account alone that others belong to, unless it is named', async () => {
    const { account, former, owner } = await sharedAccount();
    const remove = (...more: string[]) => run('user', 'delete', '--email', former.email, '--reason', 'x', ...more);
    const refused = await remove();
    expect(refused).toMatchObject({ exitCode: 2, error: { message: expect.stringContaining(owner.email) } });
    expect((await remove('--account', String(Number(account) + 1))).exitCode).toBe(2);
    const state = async () =>
      (await harness.database.sql`SELECT deleted_at IS NULL AS kept FROM accounts WHERE id = ${account}`)[0];
    expect(await state()).toEqual({ kept: true });
    expect((await remove('--account', account)).exitCode).toBe(0);
    expect(await state()).toEqual({ kept: false });
  });

  test('says whether the keys are refused now, and never deletes the last operator', async () => {
    const customer = await harness.createCustomer({ usd: '0' });
    const { out } = await gateway(['user', 'delete', '--id', String(customer.userId), '--reason', 'x']);
    expect(out).toBe(
      `Deleted user ${customer.userId} with account ${customer.accountId} and 2 keys. It is effective now.\n`,
    );
    await harness.database.sql`UPDATE users SET role = 'customer'`;
    const { email } = await harness.createCustomer({ usd: '0', role: 'operator' });
    const refused = await run('user', 'delete', '--email', email, '--reason', 'x');
    expect(refused).toMatchObject({ exitCode: 1, error: { code: 'last_operator' } });
  });
});

test.each([
  ['nobody', ['user', 'show'], 2, 'usage'],
  ['two users', ['user', 'demote', '--id', '1', '--email', 'a@b.co'], 2, 'usage'],
  ['an unknown user', ['user', 'promote', '--email', 'a@b.co'], 1, 'not_found'],
])('a command for %s is refused', async (_, args, exitCode, code) => {
  const refused = await run(...args);
  expect({ exitCode: refused.exitCode, code: refused.error?.code }).toEqual({ exitCode, code });
});

describe('reset-second-factor', () => {
  const reset = (email: string, ...more: string[]) => run('user', 'reset-second-factor', '--email', email, ...more);

  test('removes all second factors, ends the sessions, mails the user, and is audited in their organization', async () => {
    const { accountId, email, userId } = await harness.createCustomer({ usd: '0' });
    const { sql } = harness.database;
    await sql`UPDATE users SET second_factor_at = now() WHERE id = ${userId}`;
    await sql`INSERT INTO totp_factors (user_id, sealed_secret, confirmed_at) VALUES (${userId}, '', now())`;
    await sql`INSERT INTO recovery_codes (user_id, code_hash) VALUES (${userId}, '')`;
    await sql`
      INSERT INTO passkeys (user_id, credential_id, public_key, sign_count, transports, name)
      VALUES (${userId}, ${crypto.randomUUID()}, '', 0, '{}', 'Laptop')`;
    await sql`
      INSERT INTO refresh_tokens (user_id, family, token_hash, expires_at, began_at)
      VALUES (${userId}, ${crypto.randomUUID()}, ${crypto.randomUUID()}, now() + interval '1 day', now())`;
    expect((await reset(email)).exitCode).not.toBe(0);
    expect(await reset(email, '--reason', 'called back at the number on file')).toMatchObject({ exitCode: 0 });
    const [left] = await sql`
      SELECT second_factor_at, (SELECT count(*) FROM totp_factors WHERE user_id = users.id)
          + (SELECT count(*) FROM passkeys WHERE user_id = users.id)
          + (SELECT count(*) FROM recovery_codes WHERE user_id = users.id)
          + (SELECT count(*) FROM refresh_tokens WHERE user_id = users.id AND revoked_at IS NULL) AS rows
      FROM users WHERE id = ${userId}`;
    expect(left).toMatchObject({ second_factor_at: null, rows: '0' });
    expect(await newestEntry()).toMatchObject({
      action: 'second_factor.reset',
      subject: `user ${userId}`,
      accountId,
      reason: 'called back at the number on file',
    });
    const mails = await sql`SELECT kind, data FROM mails WHERE recipient = ${email}`;
    expect([...mails]).toMatchObject([{ kind: 'sign_in_changed', data: { change: 'reset' } }]);
  });

  test('is refused for someone who has none', async () => {
    const { email } = await harness.createCustomer({ usd: '0' });
    const { exitCode, error } = await reset(email, '--reason', 'lost');
    expect([exitCode, error?.code]).toEqual([1, 'second_factor_missing']);
  });
});
