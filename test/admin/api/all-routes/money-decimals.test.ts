/** Amounts that are numbers in a response are repeated as exact decimal strings, and both can be sent back. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import { type Customer, testPassword } from '../../../harness/customers.ts';
import { accountDocument } from '../../../harness/openapi/account-document.ts';
import { routesWithMoney } from '../../../harness/openapi/money.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { chargeOf } from '../../ledger/ledger.ts';
import type { CreatedKey, KeyList, ProxyKey, Settings } from '../response-types.ts';
import { type Api, type CallOptions, createOperator, logIn, startApi } from '../start-api.ts';

let harness: Harness;
let api: Api;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

async function newCustomer(usd: string): Promise<Customer & { token: string }> {
  const customer = await harness.createCustomer({ usd });
  return { ...customer, token: await logIn(api, customer.email, testPassword) };
}

/** The id of a new project that the key is moved to. */
async function projectOf(token: string, proxyKeyId: number): Promise<number> {
  const { body } = await api.call<{ id: number }>('POST', '/api/projects', { token, body: { name: 'Bot' } });
  const moved = { token, body: { projectId: body.id } };
  expect((await api.call('PUT', `/api/proxy-keys/${proxyKeyId}`, moved)).status).toBe(200);
  return body.id;
}

/** A number that a double cannot distinguish from its neighbours. */
const largest = '8999999.999999999';

test('every route that returns money as a number also returns it as an exact string', async () => {
  const { accountId, billingKey, proxyKeyId, token } = await newCustomer(largest);
  const projectId = await projectOf(token, proxyKeyId);
  const [assigned] = await harness.database.sql`SELECT assignment_id FROM api_keys WHERE id = ${proxyKeyId}`;
  const charged = { keyId: proxyKeyId, assignmentId: Number(assigned?.assignment_id), costNano: 123n };
  await applyCharges(harness.database.sql, [chargeOf(accountId, charged)]);
  const operator = await createOperator(harness, api);

  const transactions = [
    { amount: -1.23e-7, amountUsd: '-0.000000123' },
    { amount: Number(largest), amountUsd: largest },
  ];
  const account = { transactions };
  const balanceUsd = '8999999.999999876';
  const balance = {
    balance: Number(balanceUsd),
    balanceUsd,
    balanceRub: 809_999_999.99,
    balanceRubDecimal: '809999999.99',
  };
  const settings = { lowBalanceThreshold: 1234.5, lowBalanceThresholdRub: '1234.5' };
  const spendLimits = {
    ...{ day: 1e-9, dayUsd: '0.000000001' },
    ...{ month: Number(largest), monthUsd: largest },
    ...{ total: null, totalUsd: null },
  };
  const spent = ['spend30d', 'spendToday', 'spendMonth'].flatMap((name) => [
    [name, 1.23e-7],
    [`${name}Usd`, '0.000000123'],
  ]);
  const key = { ...Object.fromEntries(spent), limits: { spendLimits } };
  const limits = { spendLimits: { day: 1e-9, month: largest } };
  const reason = 'a test';
  const budget = { id: 'organization-month', amount: Number(largest), amountUsd: largest, spent: 1.23e-7 };
  const newBudget = { scope: 'organization', period: 'month', amount: largest };
  const project = { name: 'Bot', spend30d: 1.23e-7, spend30dUsd: '0.000000123' };
  const newProject = { name: 'Mail', spend30d: 0, spend30dUsd: '0' };

  const calls: [route: string, options: CallOptions, expected: object][] = [
    ['GET /api/balance', { token }, balance],
    ['GET /api/transactions', { token }, account],
    ['PUT /api/settings/notifications', { token, body: { lowBalanceThreshold: 1234.5 } }, settings],
    ['GET /api/settings/notifications', { token }, settings],
    ['PUT /api/keys/{id}', { token: billingKey, body: { limits } }, key],
    ['GET /api/keys', { token: billingKey }, { keys: [key] }],
    ['PUT /api/proxy-keys/{id}', { token, body: { limits } }, key],
    ['GET /api/proxy-keys', { token }, { keys: [key] }],
    ['POST /api/budgets', { token, body: newBudget }, budget],
    ['PUT /api/budgets/{id}', { token, body: { amount: largest } }, budget],
    ['GET /api/budgets', { token }, { budgets: expect.arrayContaining([expect.objectContaining(budget)]) }],
    ['POST /api/projects', { token, body: { name: 'Mail' } }, newProject],
    ['PUT /api/projects/{id}', { token, body: { costCenter: 'CC-40' } }, project],
    ['GET /api/projects', { token }, { projects: [project, newProject] }],
    ['GET /api/operator/accounts/{id}', { token: operator.token }, account],
    ['GET /api/operator/accounts/{id}/transactions', { token: operator.token }, account],
    ['PUT /api/operator/accounts/{id}/limits', { token: operator.token, body: { requestsPerMinute: 1 } }, account],
    ['POST /api/operator/accounts/{id}/block', { token: operator.token, body: { reason } }, account],
    ['POST /api/operator/accounts/{id}/unblock', { token: operator.token, body: { reason } }, account],
  ];
  const ids = [
    ['/accounts/', accountId],
    ['/budgets/', budget.id],
    ['/projects/', projectId],
    ['keys/', proxyKeyId],
  ] as const;
  for (const [route, options, expected] of calls) {
    const [method = '', path = ''] = route.split(' ');
    const id = ids.find(([part]) => path.includes(part))?.[1];
    const { status, body } = await api.call(method, path.replace('{id}', String(id)), options);
    const success = ['POST /api/budgets', 'POST /api/projects'].includes(route) ? 201 : 200;
    expect({ route, status, body }).toMatchObject({ route, status: success, body: expected });
  }
  expect(calls.map(([route]) => route).sort()).toEqual(routesWithMoney(accountDocument).sort());
});

describe.each(['/api/keys', '/api/proxy-keys'])('%s: a key that is sent back as it was returned', (path) => {
  const start = async () => {
    const customer = await newCustomer('1');
    const as = path === '/api/keys' ? customer.billingKey : customer.token;
    const create = (body: object) => api.call<CreatedKey>('POST', path, { token: as, body });
    const { id } = (await create({ name: 'x', limits: { spendLimits: { day: 5, month: '7.5' } } })).body;
    const read = async (of = id) => {
      const { keys } = (await api.call<KeyList>('GET', path, { token: as })).body;
      const key = keys.find((one) => one.id === of);
      if (key?.limits === undefined) throw new Error(`no proxy key ${of}`);
      return { ...key, limits: key.limits };
    };
    const put = (body: object) => api.call<ProxyKey>('PUT', `${path}/${id}`, { token: as, body });
    return { create, read, put };
  };
  type Shown = Awaited<ReturnType<Awaited<ReturnType<typeof start>>['read']>>;
  const withLimits = (shown: Shown, change: object) => {
    const spendLimits = { ...shown.limits.spendLimits, ...change };
    return { ...shown, limits: { ...shown.limits, spendLimits } };
  };

  test('is accepted, and changes nothing', async () => {
    const { read, put } = await start();
    const shown = await read();
    expect(shown.limits.spendLimits).toMatchObject({ dayUsd: '5', monthUsd: '7.5', totalUsd: null });
    expect(await put(shown)).toMatchObject({ status: 200, body: shown });
  });

  test.each([
    ['the old string stays', { day: 6 }],
    ['the string is changed too', { day: 6, dayUsd: '6' }],
    ['the string is left out', { day: 6, dayUsd: undefined }],
    ['the number is a string', { day: '6' }],
  ])('changes the number of a limit if %s', async (_where, change) => {
    const { read, put } = await start();
    const shown = await read();
    const { status, body } = await put(withLimits(shown, change));
    expect(status).toBe(200);
    expect(body).toEqual(withLimits(shown, { day: 6, dayUsd: '6' }) as ProxyKey);
  });

  test('removes a limit that is null, and creates one that did not exist', async () => {
    const { read, put } = await start();
    const shown = await read();
    const { body } = await put(withLimits(shown, { day: null, total: 9 }));
    expect(body).toEqual(withLimits(shown, { day: null, dayUsd: null, total: 9, totalUsd: '9' }) as ProxyKey);
  });

  test('is accepted and overwrites a limit that another client changed in between', async () => {
    const { read, put } = await start();
    const shown = await read();
    await put({ limits: { spendLimits: { day: 1 } } });
    expect(await put(shown)).toMatchObject({ status: 200, body: shown });
  });

  test.each([
    ['limits.spendLimits.dayUsd', { dayUsd: '6' }],
    ['limits.spendLimits.dayUsd', { dayUsd: '5.0' }],
    ['limits.spendLimits.totalUsd', { totalUsd: '6' }],
    ['limits.spendLimits.dayUsd', { dayUsd: null }],
    ['limits.spendLimits.dayRub', { dayRub: '6' }],
  ])('is refused with an error that names %s if only the string is %j', async (param, change) => {
    const { read, put } = await start();
    const shown = await read();
    const { status, error } = await put(withLimits(shown, change));
    expect(status).toBe(400);
    expect(error).toMatchObject({ code: 'invalid_parameter', param });
    expect(await read()).toEqual(shown);
  });

  test('can be used to create a key if the strings match the numbers', async () => {
    const { create, read } = await start();
    const { limits } = await read();
    const { status, body } = await create({ name: 'y', limits });
    expect(status).toBe(201);
    expect((await read(body.id)).limits).toEqual(limits);
    const refused = await create({ name: 'z', limits: { spendLimits: { day: 5, dayUsd: '6' } } });
    expect(refused.status).toBe(400);
    expect(refused.error?.param).toBe('limits.spendLimits.dayUsd');
  });

  test('may contain an outdated spending, as a number and as a string', async () => {
    const { read, put } = await start();
    const shown = await read();
    expect((await put({ ...shown, spend30d: 4, spend30dUsd: '3' })).body).toEqual(shown as ProxyKey);
  });
});

describe('notification settings that are sent back as they were returned', () => {
  const put = (token: string, body: object) =>
    api.call<Settings>('PUT', '/api/settings/notifications', { token, body });

  test('are accepted, even with the old string next to a new threshold', async () => {
    const { token } = await newCustomer('0');
    const { body: shown } = await put(token, { lowBalanceThreshold: 0.29 });
    expect(shown).toMatchObject({ lowBalanceThreshold: 0.29, lowBalanceThresholdRub: '0.29' });
    expect(await put(token, shown)).toMatchObject({ status: 200, body: shown });
    const { body: changed } = await put(token, { ...shown, lowBalanceThreshold: 0.1 });
    expect(changed).toEqual({ ...shown, lowBalanceThreshold: 0.1, lowBalanceThresholdRub: '0.1' });
  });

  test('are refused if only the string is changed', async () => {
    const { token } = await newCustomer('0');
    const { body: shown } = await put(token, { lowBalanceThreshold: 1 });
    const { status, error } = await put(token, { ...shown, lowBalanceThresholdRub: '2' });
    expect(status).toBe(400);
    expect(error).toMatchObject({ code: 'invalid_parameter', param: 'lowBalanceThresholdRub' });
  });
});
