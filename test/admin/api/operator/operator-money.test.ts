/** Payments and refunds by operators are exact and booked once, with both balances and an audit entry. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { testPassword } from '../../../harness/customers.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import type { AccountDetail, AuditList, Credit } from '../response-types.ts';
import { type Api, logIn, startApi } from '../start-api.ts';

let harness: Harness;
let api: Api;
let token: string;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
  const { email } = await harness.createCustomer({ usd: '0', role: 'operator' });
  token = await logIn(api, email, testPassword);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

const ask = <Body>(method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  api.call<Body>(method, `/api/operator${path}`, { token, headers, ...(body && { body }) });
const auditOf = async (accountId: number) =>
  (await ask<AuditList>('GET', `/audit?accountId=${accountId}`)).body.entries;

describe.each(['payment', 'refund'] as const)('POST /%ss', (type) => {
  const book = (body: object, key: string | undefined = crypto.randomUUID()) =>
    ask<Credit>('POST', `/${type}s`, body, key === undefined ? {} : { 'idempotency-key': key });

  test('is booked and returned with both balances, in Redis and in the audit log', async () => {
    const { accountId } = await harness.createCustomer({ usd: '1.5' });
    const { status, body } = await book({ accountId, usd: '10.000000001', reason: 'Invoice 17' });
    expect(status).toBe(201);
    expect(body).toEqual({
      transactionId: expect.any(Number),
      accountId,
      amount: '10.000000001',
      balanceBefore: '1.5',
      balanceAfter: '11.500000001',
      repeated: false,
    });
    const { body: account } = await ask<AccountDetail>('GET', `/accounts/${accountId}`);
    expect(account.wallet?.available).toBe('11.500000001');
    expect(account.transactions[0]).toMatchObject({ id: body.transactionId, type, description: 'Invoice 17' });
    expect(await auditOf(accountId)).toMatchObject([
      {
        action: `${type}.book`,
        subject: `transaction ${body.transactionId}`,
        reason: 'Invoice 17',
        before: { balance: '1.5' },
        after: { balance: '11.500000001', amount: '10.000000001' },
      },
    ]);
  });

  test('is booked once for one Idempotency-Key, however often and by whom it is repeated', async () => {
    const { accountId } = await harness.createCustomer({ usd: '0' });
    const key = crypto.randomUUID();
    const input = { accountId, usd: 5, reason: 'Invoice 18' };
    const responses = await Promise.all(Array.from({ length: 6 }, () => book(input, key)));
    expect(responses.every(({ status }) => status === 201 || status === 409)).toBe(true);
    const first = await book(input, key);
    expect({ status: first.status, repeated: first.body.repeated }).toEqual({ status: 201, repeated: false });

    const colleague = await harness.createCustomer({ usd: '0', role: 'operator' });
    const again = await api.call<Credit>('POST', `/api/operator/${type}s`, {
      token: await logIn(api, colleague.email, testPassword),
      headers: { 'idempotency-key': key },
      body: input,
    });
    expect(again.body).toMatchObject({
      transactionId: first.body.transactionId,
      repeated: true,
      balanceBefore: '5',
      balanceAfter: '5',
    });
    expect((await auditOf(accountId)).length).toBe(1);
  });

  test('returns 422 for the same Idempotency-Key with another body', async () => {
    const { accountId } = await harness.createCustomer({ usd: '0' });
    const key = crypto.randomUUID();
    await book({ accountId, usd: 5, reason: 'x' }, key);
    const { status, error } = await book({ accountId, usd: 6, reason: 'x' }, key);
    expect({ status, code: error?.code }).toEqual({ status: 422, code: 'idempotency_key_reused' });
    expect((await ask<AccountDetail>('GET', `/accounts/${accountId}`)).body.balance).toBe('5');
  });

  test('books nothing without an Idempotency-Key', async () => {
    const { accountId } = await harness.createCustomer({ usd: '0' });
    const { status, error } = await ask('POST', `/${type}s`, { accountId, usd: 5, reason: 'x' });
    expect({ status, code: error?.code }).toEqual({ status: 400, code: 'missing_parameter' });
    expect((await auditOf(accountId)).length).toBe(0);
  });

  test.each([
    [400, 'usd', { usd: 0 }],
    [400, 'usd', { usd: -1 }],
    [400, 'usd', { usd: '1.0000000001' }],
    [400, 'usd', { usd: '1e3' }],
    [400, 'usd', { usd: null }],
    [400, 'reason', { reason: ' ' }],
    [400, 'reason', { reason: 'x'.repeat(501) }],
    [400, 'accountId', { accountId: 'x' }],
    [404, 'accountId', { accountId: 999_999_999 }],
    [422, 'usd', { usd: '9000000' }],
  ])('returns %d that names %s for %j, and can be retried', async (expected, param, change) => {
    const { accountId } = await harness.createCustomer({ usd: '1' });
    const { status, error } = await book({ accountId, usd: 1, reason: 'x', ...change });
    expect({ status, param: error?.param }).toEqual({ status: expected, param });
    expect((await auditOf(accountId)).length).toBe(0);
  });
});
