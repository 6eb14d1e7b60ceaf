/** How often accounts can be exported, and how many exports can run concurrently. */
import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { exportsMax } from '../../../../admin/api/account/export-route.ts';
import { heavyLimits } from '../../../../admin/heavy-work/heavy-work.ts';
import { GatewayError } from '../../../../shared/errors.ts';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { type Customer, testPassword } from '../../../harness/customers.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { type Api, logIn, startApi } from '../start-api.ts';

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

type Caller = Customer & { readonly token: string };

async function newCustomer(): Promise<Caller> {
  const customer = await harness.createCustomer({ usd: '0' });
  return { ...customer, token: await logIn(api, customer.email, testPassword) };
}

test('the eleventh export in an hour is refused with 429', async () => {
  const customer = await newCustomer();
  const ask = () => api.call('GET', '/api/account/export', { token: customer.token });
  for (let count = 0; count < exportsMax; count += 1) expect((await ask()).status).toBe(200);
  const { status, error } = await ask();
  expect({ status, code: error?.code }).toEqual({ status: 429, code: 'too_many_attempts' });
});

/** An account whose archive is larger than what sockets hold: 16 MB that are hard to compress, in few rows. */
async function newLargeCustomer(): Promise<Caller> {
  const customer = await newCustomer();
  await harness.database.sql`
    INSERT INTO mails (account_id, recipient, language, kind, state)
    SELECT ${customer.accountId}, string_agg(md5(random()::text), ''), 'en', 'test', 'sent'
    FROM generate_series(1, 500000) AS n GROUP BY n % 10000`;
  return customer;
}

/** Requests the archive and reads only its beginning. */
async function askAndWait({ token }: Caller): Promise<Socket> {
  const { hostname, port, host } = new URL(api.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(`GET /api/account/export HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  const [head] = await once(socket, 'data');
  // A response that breaks off may reset the connection.
  socket.on('error', () => {});
  socket.pause();
  expect(String(head)).toStartWith('HTTP/1.1 200 ');
  return socket;
}

test('a third concurrent export of an account gets 429, a fifth in all 503, until a slow reader leaves', async () => {
  const { atOnce, accountAtOnce } = heavyLimits.kinds.export;
  const customers = await Promise.all(Array.from({ length: atOnce / accountAtOnce }, newLargeCustomer));
  const slow = await Promise.all(
    customers.flatMap((customer) => Array.from({ length: accountAtOnce }, () => askAndWait(customer))),
  );
  const other = await newCustomer();
  const ask = (caller: Caller = other) => api.call('GET', '/api/account/export', { token: caller.token });
  const [own, refused] = await Promise.all([ask(customers[0]), ask()]);
  expect([own.status, own.error?.code, own.headers.get('retry-after')]).toEqual([429, 'rate_limit_exceeded', '5']);
  expect([refused.status, refused.error?.code, refused.headers.get('retry-after')]).toEqual([503, 'overloaded', '5']);
  slow[0]?.destroy();
  await waitFor('room for another one', guardTimeoutMs, async () => (await ask()).status === 200);
  for (const socket of slow) socket.destroy();
});

/** Of a response whose beginning was read: whether its end follows. */
async function isWhole(socket: Socket): Promise<boolean> {
  let end = '';
  socket.on('data', (data: Buffer) => {
    end = (end + data.toString('latin1')).slice(-5);
  });
  socket.resume();
  await waitFor('the end of the response', guardTimeoutMs, async () => socket.closed || end === lastChunk);
  socket.destroy();
  return end === lastChunk;
}

/** RFC 9112, section 7.1. */
const lastChunk = '0\r\n\r\n';

test('an export is whole if its reader is slow and nothing has changed', async () => {
  const caller = await newLargeCustomer();
  expect(await isWhole(await askAndWait(caller))).toBe(true);
});

test.each([
  [
    'the session has ended',
    'invalid_token',
    async ({ token }: Caller) =>
      expect((await api.call('DELETE', '/api/profile/sessions', { token })).status).toBe(204),
  ],
  [
    'the role has changed',
    'role_required',
    ({ accountId }: Caller) =>
      harness.database.sql`UPDATE memberships SET role = 'auditor' WHERE account_id = ${accountId}`,
  ],
  [
    'the organization is blocked',
    'invalid_token',
    ({ accountId }: Caller) => harness.database.sql`UPDATE accounts SET blocked_at = now() WHERE id = ${accountId}`,
  ],
] as const)('an export breaks off once %s, and makes room for another one', async (_, code, end) => {
  const { accountAtOnce } = heavyLimits.kinds.export;
  using warn = spyOn(api.services.log, 'warn');
  const caller = await newLargeCustomer();
  const { accountId } = caller;
  const sockets = await Promise.all(Array.from({ length: accountAtOnce }, () => askAndWait(caller)));
  await end(caller);
  // A connection that stands still is closed after a minute in any case; that is not logged.
  const refusals = () =>
    warn.mock.calls.flatMap(([about]) => {
      const { err, accountId: of } = about as { readonly err?: unknown; readonly accountId?: number };
      return of === accountId && err instanceof GatewayError ? [err.code] : [];
    });
  await waitFor('both to break off', guardTimeoutMs, async () => refusals().length === accountAtOnce);
  expect(refusals()).toEqual(sockets.map(() => code));
  const task = { kind: 'export', accountId, signal: new AbortController().signal } as const;
  // Refused if there is no room.
  await Promise.all(sockets.map(() => api.services.heavyWork.run(task, async () => {})));
  expect(await Promise.all(sockets.map(isWhole))).toEqual(sockets.map(() => false));
});
