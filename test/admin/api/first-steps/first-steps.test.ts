/** GET /api/first-steps shows each step of a new customer once it is done, and not before. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import { testPassword } from '../../../harness/customers.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { chargeOf } from '../../ledger/ledger.ts';
import type { FirstSteps } from '../response-types.ts';
import { type Api, logIn, register, startApi } from '../start-api.ts';

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

test("a new customer's key, credit and first request complete one step after the other", async () => {
  const { sql } = harness.database;
  const { id, token } = await register(api);
  const [user] = await sql`SELECT account_id FROM users WHERE id = ${id}`;
  const accountId = Number(user?.account_id);
  const steps = async () => (await api.call<FirstSteps>('GET', '/api/first-steps', { token })).body;
  const nothing = { emailVerified: false, hasKey: false, hasCredit: false, hasRequest: false };
  expect(await steps()).toEqual(nothing);
  await api.call('POST', '/api/playground-key', { token });
  expect(await steps()).toEqual(nothing);
  await api.call('POST', '/api/proxy-keys', { token, body: { name: 'first' } });
  expect(await steps()).toEqual({ ...nothing, hasKey: true });
  await harness.credit(accountId, '5');
  expect(await steps()).toEqual({ ...nothing, hasKey: true, hasCredit: true });
  await applyCharges(sql, [chargeOf(accountId)]);
  await sql`UPDATE accounts SET ownership = 'proven' WHERE id = ${accountId}`;
  expect(await steps()).toEqual({ emailVerified: true, hasKey: true, hasCredit: true, hasRequest: true });
});

test('an account created by an operator needs no verification', async () => {
  const { email } = await harness.createCustomer({ usd: '0' });
  const token = await logIn(api, email, testPassword);
  const { body } = await api.call<FirstSteps>('GET', '/api/first-steps', { token });
  expect(body).toEqual({ emailVerified: true, hasKey: true, hasCredit: false, hasRequest: false });
});
