/** What operators do for customers: users, money, keys. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { hashKey, parseKey } from '../../../shared/keys/api-key.ts';
import { shardOfAccount } from '../../../shared/wallet/shard.ts';
import { createMember } from '../../dashboard/harness/organization.ts';
import { type Harness, startHarness } from '../../harness.ts';
import type { CreatedKey } from '../api/response-types.ts';
import { type Gateway, gatewayOf } from './run-gateway.ts';

type MadeKey = CreatedKey & { readonly prefix: string };

let harness: Harness;
let gateway: Gateway;
beforeAll(async () => {
  harness = await startHarness();
  gateway = gatewayOf(harness);
});
afterAll(() => harness.stop());

const withoutRedis = { environment: { REDIS_URL: 'redis://127.0.0.1:1' } };
const password = 'three-quiet-otters-sing';
const randomEmail = () => `${crypto.randomUUID()}@example.com`;

describe('user create', () => {
  const create = (...args: string[]) => gateway<{ id: number; email: string }>(['user', 'create', ...args, '--json']);
  const roleOf = async (id: number) => (await harness.database.sql`SELECT role FROM users WHERE id = ${id}`)[0]?.role;

  test('creates a customer, or an operator', async () => {
    const email = randomEmail();
    const customer = await create('--email', email, '--password', password);
    expect(customer.exitCode).toBe(0);
    expect(customer.json).toEqual({ id: expect.any(Number), email });
    expect(await roleOf(customer.json.id)).toBe('customer');
    const operator = await create('--email', randomEmail(), '--password', password, '--operator');
    expect(await roleOf(operator.json.id)).toBe('operator');
  });

  test.each([
    ['a weak password', ['--email', 'a@example.com', '--password', 'password1234'], 'invalid_parameter', 'password'],
    ['no e-mail address', ['--email', 'nobody', '--password', password], 'invalid_parameter', 'email'],
  ])('ends with exit code 1 for %s', async (_, args, code, param) => {
    const { exitCode, problem, error } = await create(...args);
    expect(exitCode).toBe(1);
    expect(error).toMatchObject({ code, param, message: problem.trim() });
  });

  test('ends with exit code 1 for an e-mail that is taken', async () => {
    const { email } = await harness.createCustomer({ usd: '0' });
    const { exitCode, error } = await create('--email', email.toUpperCase(), '--password', password);
    expect(exitCode).toBe(1);
    expect(error?.code).toBe('email_taken');
  });
});

describe('gateway credit and refund', () => {
  test('of someone who belongs to several accounts need the account, and book for it', async () => {
    const { accountId } = await harness.createCustomer({ usd: '0' });
    const { email } = await createMember(harness, { accountId, role: 'admin' });
    const rest = ['--usd', '3', '--reason', 'x', '--idempotency-key', crypto.randomUUID()];
    const refused = await gateway(['credit', '--email', email, ...rest, '--json']);
    expect(refused).toMatchObject({ exitCode: 2, error: { message: expect.stringContaining(`${accountId} (`) } });
    const booked = await gateway(['credit', '--account', String(accountId), ...rest]);
    expect(booked).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining(`The balance of account ${accountId} is $3.`),
    });
  });

  const money = (command: string, email: string, usd: string, key: string = crypto.randomUUID()) => {
    const args = [
      command,
      '--email',
      email,
      '--usd',
      usd,
      '--reason',
      'Invoice 17',
      '--idempotency-key',
      key,
      '--json',
    ];
    return (options?: Parameters<Gateway>[1]) => gateway<{ transactionId: number; balance: string }>(args, options);
  };

  test('are booked exactly and effective immediately', async () => {
    const { email, accountId } = await harness.createCustomer({ usd: '1' });
    const credit = await money('credit', email, '10.000000001')();
    expect(credit.exitCode).toBe(0);
    expect(credit.json).toEqual({ transactionId: expect.any(Number), balance: '11.000000001' });
    const refund = await money('refund', email, '0.5')();
    expect(refund.json.balance).toBe('11.500000001');
    expect((await harness.keeper.readWallet(accountId))?.availableNano).toBe(11_500_000_001n as never);
    const lines = await harness.database.sql`
      SELECT type, description FROM journal_lines WHERE account_id = ${accountId} ORDER BY id DESC LIMIT 2`;
    expect([...lines]).toEqual([
      { type: 'refund', description: 'Invoice 17' },
      { type: 'payment', description: 'Invoice 17' },
    ]);
  });

  test('book nothing when repeated, and return the same result', async () => {
    const { email } = await harness.createCustomer({ usd: '0' });
    const pay = money('credit', email, '5');
    const [first, second] = [await pay(), await pay()];
    expect(second.json).toEqual(first.json);
    expect(second.json.balance).toBe('5');
  });

  test('refuse another payment with a used key', async () => {
    const { email } = await harness.createCustomer({ usd: '0' });
    const key = crypto.randomUUID();
    await money('credit', email, '5', key)();
    const { exitCode, error } = await money('credit', email, '6', key)();
    expect(exitCode).toBe(1);
    expect(error?.code).toBe('idempotency_key_reused');
  });

  test.each(['0', '-5', '1e3', '1,5', '0.0000000001', 'ten', '9000000.000000001'])(
    'end with exit code 1 for $%s',
    async (usd) => {
      const { email } = await harness.createCustomer({ usd: '0' });
      const { exitCode, error } = await money('credit', email, usd)();
      expect(exitCode).toBe(1);
      expect(error?.param).toBe('usd');
    },
  );

  test('fill a wallet up to its limit, and a refused payment books nothing', async () => {
    const { email, accountId } = await harness.createCustomer({ usd: '0' });
    expect((await money('credit', email, '9000000')()).json.balance).toBe('9000000');
    for (const command of ['credit', 'refund']) {
      const { exitCode, error } = await money(command, email, '0.000000001')();
      expect(exitCode).toBe(1);
      expect(error).toMatchObject({ code: 'wallet_limit', param: 'usd' });
    }
    const lines = await harness.database.sql`SELECT amount_nano FROM journal_lines WHERE account_id = ${accountId}`;
    expect(lines).toHaveLength(1);
    expect((await harness.keeper.readWallet(accountId))?.availableNano).toBe(9_000_000_000_000_000n as never);
  });

  test('end with exit code 1 for an unknown customer', async () => {
    const { exitCode, error } = await money('credit', randomEmail(), '1')();
    expect(exitCode).toBe(1);
    expect(error).toMatchObject({ code: 'not_found', param: 'email' });
  });

  test('are booked without Redis, and delivered later', async () => {
    const { email, accountId } = await harness.createCustomer({ usd: '1' });
    const { exitCode, out } = await gateway(
      ['credit', '--email', email, '--usd', '2', '--reason', 'x', '--idempotency-key', crypto.randomUUID()],
      withoutRedis,
    );
    expect(exitCode).toBe(0);
    expect(out).toContain('The balance of');
    expect(out).toContain('the running admin will deliver it');
    const [waiting] = await harness.database.sql`
      SELECT amount_nano FROM outbox WHERE account_id = ${accountId} AND delivered_at IS NULL`;
    expect(waiting?.amount_nano).toBe('2000000000');
  });
});

describe('gateway key commands', () => {
  const publishedKey = (accountId: number, key: string) =>
    harness.redis.hgetall(`{s${shardOfAccount(accountId)}}:key:${hashKey(key, harness.keyPepper)}`);

  test('create a proxy key that is effective immediately, list it, and revoke it immediately', async () => {
    const { email, accountId } = await harness.createCustomer({ usd: '1' });
    const expiry = '2100-01-01T00:00:00Z';
    const made = await gateway<MadeKey>([
      'key',
      'create',
      '--email',
      email,
      '--name',
      'ci',
      '--expires-at',
      expiry,
      '--json',
    ]);
    const { id, key, prefix } = made.json;
    expect(made.exitCode).toBe(0);
    expect(parseKey(key)?.kind).toBe('proxy');
    expect(prefix).toBe(key.slice(0, 11));
    expect((await publishedKey(accountId, key)).active).toBe('1');

    const { json } = await gateway<{ keys: { id: number }[] }>(['key', 'list', '--email', email, '--json']);
    expect(json.keys.find((listed) => listed.id === id)).toMatchObject({
      name: 'ci',
      prefix,
      kind: 'proxy',
      expiresAt: '2100-01-01T00:00:00.000Z',
    });
    expect(JSON.stringify(json)).not.toContain(key);

    expect((await gateway(['key', 'revoke', '--id', String(id)])).exitCode).toBe(0);
    expect((await publishedKey(accountId, key)).account).toBeUndefined();
    expect((await gateway(['key', 'revoke', '--id', String(id), '--json'])).error?.code).toBe('not_found');
  });

  test('create a billing key', async () => {
    const { email } = await harness.createCustomer({ usd: '1' });
    const { json } = await gateway<MadeKey>(['billing-key', 'create', '--email', email, '--name', 'x', '--json']);
    expect(parseKey(json.key)?.kind).toBe('billing');
  });

  test.each([
    ['expires_at', ['key', 'create', '--email', 'EMAIL', '--name', 'x', '--expires-at', '2020-01-01T00:00:00Z']],
    ['name', ['key', 'create', '--email', 'EMAIL', '--name', ' ']],
    ['email', ['key', 'create', '--email', 'nobody@example.com', '--name', 'x']],
    ['id', ['key', 'revoke', '--id', 'x']],
  ])('end with exit code 1 that names %s', async (param, args) => {
    const { email } = await harness.createCustomer({ usd: '1' });
    const { exitCode, error } = await gateway([...args.map((arg) => (arg === 'EMAIL' ? email : arg)), '--json']);
    expect(exitCode).toBe(1);
    expect(error?.param).toBe(param);
  });
});
