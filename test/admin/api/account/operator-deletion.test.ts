/** Operators delete accounts with a reason, and their own only while there is another operator. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { testPassword } from '../../../harness/customers.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { mailsTo } from '../mailbox.ts';
import { AddressBook } from '../notifications/address-book.ts';
import type { AccountDetail, AuditList, Deleted } from '../response-types.ts';
import { type Api, createOperator, startApi } from '../start-api.ts';

let harness: Harness;
let api: Api;
let book: AddressBook;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
  book = new AddressBook(harness, api);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

const remove = ({ token }: { token: string }) =>
  api.call<Deleted>('DELETE', '/api/account', { token, body: { current_password: testPassword } });

describe('an operator', () => {
  const path = (accountId: number) => `/api/operator/accounts/${accountId}`;

  test('can delete a customer’s account with a reason and a confirmed balance', async () => {
    const operator = await createOperator(harness, api);
    const customer = await book.newCustomer('3');
    await harness.database.sql`
      INSERT INTO notification_settings (account_id, language) VALUES (${customer.accountId}, 'ru')`;
    const ask = (body: object) =>
      api.call<Deleted>('DELETE', path(customer.accountId), { token: operator.token, body });
    expect((await ask({})).error?.param).toBe('reason');
    expect((await ask({ reason: 'asked for' })).error?.details).toEqual({ balanceUsd: '3' });
    const { status, body } = await ask({ reason: ' asked for ', forfeitBalanceUsd: '3' });
    expect([status, body.keysDeleted, body.keysRefused]).toEqual([200, 2, true]);
    expect(await mailsTo(harness, customer.email)).toMatchObject([{ kind: 'account_deleted', language: 'ru' }]);
    expect((await api.call('GET', '/api/profile', { token: customer.token })).status).toBe(401);

    const { body: audit } = await api.call<AuditList>('GET', `/api/operator/audit?accountId=${customer.accountId}`, {
      token: operator.token,
    });
    expect(audit.entries[0]).toMatchObject({
      actor: operator.email,
      action: 'account.delete',
      reason: 'asked for',
      before: { deletedAt: null, balance: '3' },
      after: { deletedAt: body.deletedAt, forfeitedBalance: '3', keysDeleted: 2 },
    });
    const shown = await api.call<AccountDetail>('GET', path(customer.accountId), { token: operator.token });
    expect(shown.body).toMatchObject({
      deletedAt: body.deletedAt,
      email: `deleted-${customer.userId}@invalid`,
      balance: '3',
      keys: [],
      transactions: [{ amountUsd: '3' }],
    });
    const again = await ask({ reason: 'again' });
    expect([again.status, again.error?.code]).toEqual([404, 'not_found']);
  });

  test('gets 403 for their own account, which needs the password, as customers do for any account', async () => {
    const operator = await createOperator(harness, api);
    const [customer, victim] = [await book.newCustomer(), await book.newCustomer()];
    const body = { reason: 'x' };
    for (const [{ token }, { accountId }] of [
      [customer, victim],
      [operator, operator],
    ] as const) {
      const { status, error } = await api.call('DELETE', path(accountId), { token, body });
      expect([status, error?.code]).toEqual([403, 'access_denied']);
    }
    expect((await api.call('GET', '/api/profile', { token: victim.token })).status).toBe(200);
  });

  test('stays in the audit log under their number, without their address', async () => {
    const [operator, witness] = [await createOperator(harness, api), await createOperator(harness, api)];
    const customer = await book.newCustomer();
    const block = { token: operator.token, body: { reason: 'abuse' }, headers: { 'x-forwarded-for': '203.0.113.9' } };
    await api.call('POST', `${path(customer.accountId)}/block`, block);
    expect((await remove(operator)).status).toBe(200);
    const entriesOf = async (accountId: number) =>
      (await api.call<AuditList>('GET', `/api/operator/audit?accountId=${accountId}`, { token: witness.token })).body
        .entries;
    expect(await entriesOf(customer.accountId)).toMatchObject([
      {
        actor: `user ${operator.userId}`,
        userId: operator.userId,
        address: null,
        action: 'account.block',
        reason: 'abuse',
      },
    ]);
    expect(await entriesOf(operator.accountId)).toMatchObject([
      { actor: `user ${operator.userId}`, address: null, action: 'account.delete', reason: null },
    ]);
  });
});

test('the last operator cannot delete their account, and only one of the last two concurrently can', async () => {
  const { sql } = harness.database;
  await sql`UPDATE users SET role = 'customer' WHERE role = 'operator'`;
  const pair = [await createOperator(harness, api), await createOperator(harness, api)];
  const responses = await Promise.all(pair.map((operator) => remove(operator)));
  expect(responses.map(({ status, error }) => error?.code ?? status).sort()).toEqual([200, 'last_operator']);
  const [left] = await sql`SELECT count(*)::int FROM users WHERE role = 'operator' AND deleted_at IS NULL`;
  expect(left?.count).toBe(1);
});
