/** A blocked account leaves no way in, whatever is in progress while it is blocked. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { blockAccount, unblockAccount } from '../../../admin/accounts/block-account.ts';
import { issueRefreshToken, rotateRefreshToken } from '../../../admin/auth/sessions/refresh-tokens.ts';
import { createKey } from '../../../admin/keys/create-key.ts';
import { deliverOutbox } from '../../../admin/wallets/deliver-outbox.ts';
import { untilWaitingForLock } from '../../harness/wait-for-lock.ts';
import { type Harness, startHarness } from '../../harness.ts';
import { newUser } from '../auth/new-user.ts';

const actor = { name: 'cli:test', userId: null, address: null, requestId: null };

const secret = 'the secret of the gateway';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

/** Blocks an account, with something that starts just before the commit and has to wait for it. */
async function blockWhile<Result>(accountId: number, begin: () => Promise<Result>): Promise<Result | Error> {
  let begun: Promise<Result | Error> | undefined;
  await harness.database.db.transaction(async (transaction) => {
    await blockAccount(transaction, actor, { accountId, reason: 'test' });
    begun = begin().catch((error: Error) => error);
    await untilWaitingForLock(harness.database.sql);
  });
  if (begun === undefined) throw new Error('nothing has begun');
  return begun;
}

test('a log-in that checked the password before the block begins no session', async () => {
  const user = await newUser(harness);
  const login = await blockWhile(user.homeAccountId, () => issueRefreshToken(harness.database.db, { user }));
  expect(login).toMatchObject({ code: 'invalid_credentials' });
});

test('a refresh in progress returns no usable token', async () => {
  const user = await newUser(harness);
  const { refreshToken } = await issueRefreshToken(harness.database.db, { user });
  const refresh = await blockWhile(user.homeAccountId, () =>
    rotateRefreshToken(harness.database, { token: refreshToken, secrets: [secret] }),
  );
  expect(refresh).toMatchObject({ code: 'invalid_token' });
});

test('a key created during the block is published as blocked, and works after the account is unblocked', async () => {
  const { homeAccountId: accountId } = await newUser(harness);
  const { database, keeper, keyPepper } = harness;
  const input = { accountId, kind: 'proxy', name: 'late', expiresAt: null } as const;
  const key = await blockWhile(accountId, () => createKey(database.db, keyPepper, input));
  if (key instanceof Error) throw key;
  const activeOf = async () => {
    await deliverOutbox({ sql: database.sql, keeper }, accountId);
    const [row] = await database.sql`SELECT hash FROM api_keys WHERE id = ${key.id}`;
    const [name = ''] = await harness.redis.keys(`*:key:${row?.hash}`);
    return harness.redis.hget(name, 'active');
  };
  expect(await activeOf()).toBe('0');
  await unblockAccount(database.db, actor, { accountId, reason: 'test' });
  expect(await activeOf()).toBe('1');
});

test('a customer’s own change of a key does not reactivate it while the account is blocked', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  const { database, keeper } = harness;
  await blockAccount(database.db, actor, { accountId: customer.accountId, reason: 'test' });
  await database.sql`
    INSERT INTO outbox (topic, account_id, key_id) VALUES ('key', ${customer.accountId}, ${customer.proxyKeyId})`;
  await deliverOutbox({ sql: database.sql, keeper }, customer.accountId);
  const [row] = await database.sql`SELECT hash FROM api_keys WHERE id = ${customer.proxyKeyId}`;
  const [name = ''] = await harness.redis.keys(`*:key:${row?.hash}`);
  expect(await harness.redis.hget(name, 'active')).toBe('0');
});
