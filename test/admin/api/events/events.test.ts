/** GET /api/events reports what happens to the caller's account, on every replica, until the session ends. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { eventsRoute } from '../../../../admin/api/events/events-route.ts';
import { EventHub, type Subscriber } from '../../../../admin/events/event-hub.ts';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import { createServer } from '../../../../admin/server.ts';
import { writeHealth } from '../../../../shared/health/deployment-health.ts';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { testPassword } from '../../../harness/customers.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { chargeOf } from '../../ledger/ledger.ts';
import type { RequestList } from '../response-types.ts';
import { type Api, createOperator, logIn, startApi } from '../start-api.ts';
import { type EventClient, openEvents } from './open-events.ts';

let harness: Harness;
let api: Api;
let otherReplica: Api;
const open: EventClient[] = [];
beforeAll(async () => {
  harness = await startHarness();
  [api, otherReplica] = [await startApi(harness), await startApi(harness)];
});
afterAll(async () => {
  for (const client of open) client.leave();
  await Promise.all([api.stop(), otherReplica.stop()]);
  await harness.stop();
});

async function newCustomer(usd = '10') {
  const customer = await harness.createCustomer({ usd });
  return { ...customer, token: await logIn(api, customer.email, testPassword) };
}

async function listen(token: string, replica = api): Promise<EventClient> {
  const client = await openEvents(replica.url, token);
  open.push(client);
  return client;
}

/** The token, with nine seconds left: on a busy machine, opening a stream beside the other tests may take a few. */
function expiringSoon(token: string): string {
  const [header = '', payload = ''] = token.split('.');
  const claims = {
    ...JSON.parse(Buffer.from(payload, 'base64url').toString()),
    exp: Math.floor(Date.now() / 1_000) + 9,
  };
  const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  return `${signed}.${createHmac('sha256', harness.jwtSecret).update(signed).digest('base64url')}`;
}

test.concurrent('a charge is reported on every replica as in the list of requests, and so is the balance', async () => {
  const { accountId, proxyKeyId, token } = await newCustomer();
  const clients = [await listen(token), await listen(token, otherReplica)];
  const charge = chargeOf(accountId, { keyId: proxyKeyId, costNano: 1_500n });
  await applyCharges(harness.database.sql, [charge]);
  const { requests } = (await api.call<RequestList>('GET', '/api/requests', { token })).body;
  for (const client of clients) {
    expect(await client.next('request')).toEqual(requests[0] ?? {});
    expect(await client.next('balance')).toEqual({ balance: '9.9999985', credited: '10', spent: '0.0000015' });
  }
});

test.concurrent('a charge of zero is reported as a request, without a change of the balance', async () => {
  const { accountId, token } = await newCustomer();
  const client = await listen(token);
  const charge = chargeOf(accountId, { costNano: 0n });
  await applyCharges(harness.database.sql, [charge]);
  expect(await client.next('request')).toMatchObject({ requestId: charge.requestId, charged: '0' });
  // A balance reported after the first charge would come before that of the second one.
  await applyCharges(harness.database.sql, [chargeOf(accountId, { costNano: 1n })]);
  expect(await client.next('balance')).toMatchObject({ spent: '0.000000001' });
  await client.next('request', ({ charged }) => charged === '0.000000001');
  expect(client.received.filter(({ event }) => event === 'balance')).toHaveLength(1);
});

test.concurrent('an operator’s credit is reported without a reload', async () => {
  const { accountId, token } = await newCustomer('1');
  const client = await listen(token);
  await harness.credit(accountId, '4');
  expect(await client.next('balance')).toEqual({ balance: '5', credited: '5', spent: '0' });
});

test.concurrent('an estimate and its correction are reported in order, and nothing is reported twice', async () => {
  const { accountId, token } = await newCustomer();
  const client = await listen(token);
  const estimate = chargeOf(accountId, { rank: 1, costNano: 100n });
  await applyCharges(harness.database.sql, [estimate]);
  expect(await client.next('request')).toMatchObject({ final: false, booked: '0.0000001' });
  const correction = { ...estimate, rank: 2, costNano: 130n, chargedAt: new Date() } as const;
  await applyCharges(harness.database.sql, [correction]);
  expect(await client.next('request', ({ final }) => final === true)).toMatchObject({ booked: '0.00000003' });
  await applyCharges(harness.database.sql, [chargeOf(accountId, { costNano: 7n })]);
  await client.next('request', ({ charged }) => charged === '0.000000007');
  const received = client.received.filter(({ event }) => event === 'request');
  expect(received.map(({ data }) => data.charged)).toEqual(['0.0000001', '0.00000013', '0.000000007']);
});

test.concurrent('no client gets events of another account or, without being an operator, of deployments', async () => {
  const [mine, theirs] = [await newCustomer(), await newCustomer()];
  const operator = await createOperator(harness, api);
  const client = await listen(mine.token);
  const others = [await listen(theirs.token), await listen(operator.token)];
  const deployment = {
    deployment: 'demo/chat',
    requests: 1,
    failures: 0,
    meanLatencyMs: 5,
    lastFailure: null,
    readyAtMs: null,
  };
  const report = (state: 'closed' | 'open') =>
    writeHealth(harness.redis, { replica: 'one', writtenAtMs: Date.now(), deployments: [{ ...deployment, state }] });
  await report('closed');
  await others[1]?.next('circuit', ({ state }) => state === 'closed');
  await report('open');
  await applyCharges(harness.database.sql, [chargeOf(theirs.accountId)]);
  await others[0]?.next('request');
  expect(await others[1]?.next('circuit', ({ state }) => state === 'open')).toEqual({
    replica: 'one',
    deployment: 'demo/chat',
    state: 'open',
  });
  expect(client.received.map(({ event }) => event)).toEqual(['ready']);
});

test.concurrent('the stream ends when its session does, and other sessions continue', async () => {
  const { accountId, email, token } = await newCustomer();
  const other = await listen(await logIn(api, email, testPassword));
  const client = await listen(token);
  await api.call('POST', '/api/auth/logout', { token });
  expect(await client.next('end')).toEqual({ reason: 'session_ended' });
  await waitFor('the end of the stream', guardTimeoutMs, async () => client.ended());
  await harness.credit(accountId, '1');
  await other.next('balance');
});

test.concurrent('the stream ends when its access token expires, while the session continues', async () => {
  const { token } = await newCustomer();
  const client = await listen(expiringSoon(token));
  expect(await client.next('end')).toEqual({ reason: 'token_expired' });
  expect((await api.call('GET', '/api/balance', { token })).status).toBe(200);
});

test.concurrent('a client that does not read is disconnected once too many events wait for it', async () => {
  const { token } = await newCustomer();
  const subscribers: Subscriber[] = [];
  let left = 0;
  const subscribe = (subscriber: Subscriber) => {
    subscribers.push(subscriber);
    return () => {
      left += 1;
    };
  };
  const events = Object.assign(new EventHub(api.services), { subscribe });
  const headers = { authorization: `Bearer ${token}` };
  const request = new Request('http://localhost/api/events', { headers });
  const { body } = await eventsRoute({ ...api.services, events }).handle(request);
  let sent = 0;
  while (left === 0 && sent < 1_000) {
    subscribers[0]?.heartbeat();
    sent += 1;
  }
  expect(sent).toBeLessThan(1_000);
  const reader = body?.getReader();
  const readAll = async () => {
    while (!(await reader?.read())?.done);
  };
  await expect(readAll()).rejects.toThrow('does not read');
});

test.concurrent('an operator who becomes a customer gets no more events of deployments', async () => {
  const operator = await createOperator(harness, api);
  const client = await listen(operator.token);
  await harness.database.sql`UPDATE users SET role = 'customer' WHERE id = ${operator.userId}`;
  expect(await client.next('end')).toEqual({ reason: 'session_ended' });
});

test.concurrent('a replica that shuts down ends its streams first, and refuses new ones', async () => {
  const replica = await startApi(harness);
  const { token } = await newCustomer();
  const client = await listen(token, replica);
  replica.services.events.stop();
  expect(await client.next('end')).toEqual({ reason: 'shutting_down' });
  expect((await openEvents(replica.url, token)).status).toBe(503);
  await replica.stop();
});

test.concurrent('an account has at most twenty streams, and a place is free again when one ends', async () => {
  const { token } = await newCustomer();
  const clients = await Promise.all(Array.from({ length: 20 }, () => listen(token)));
  const refused = await api.call('GET', '/api/events', { token });
  expect(refused).toMatchObject({ status: 429, error: { code: 'rate_limit_exceeded' } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  clients[0]?.leave();
  await waitFor('a free place', guardTimeoutMs, async () => (await listen(token)).status === 200);
});

test.concurrent('a client address has a limit too, and the client with the most makes room for a newcomer', async () => {
  const events = new EventHub(api.services, { account: 2, address: 2, all: 3 });
  const lifecycle = { workersReady: () => true, shuttingDown: () => false };
  const server = createServer({ ...api.services, events }, lifecycle).listen({ hostname: '127.0.0.1', port: 0 });
  const listenFrom = async (address: string) => {
    const { token } = await newCustomer();
    const client = await openEvents(`http://127.0.0.1:${server.server?.port}`, token, address);
    open.push(client);
    return client;
  };
  const [oldest, other] = [await listenFrom('192.0.2.1'), await listenFrom('192.0.2.1')];
  expect((await listenFrom('192.0.2.1')).status).toBe(429);
  for (const address of ['192.0.2.2', '192.0.2.3']) expect((await listenFrom(address)).status).toBe(200);
  expect(await oldest.next('end')).toEqual({ reason: 'replaced' });
  expect(other.ended()).toBe(false);
  events.stop();
  await server.stop(true);
});

test.concurrent('the proxy does not collect the events, and they are not stored', async () => {
  const { token } = await newCustomer();
  const { headers } = await listen(token);
  expect(headers.get('content-type')).toStartWith('text/event-stream');
  expect(headers.get('x-accel-buffering')).toBe('no');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
});

test.concurrent('a request for events gets 401 without a token and 403 with an API key', async () => {
  const { proxyKey, billingKey } = await newCustomer();
  expect((await api.call('GET', '/api/events')).error?.code).toBe('invalid_token');
  for (const token of [proxyKey, billingKey]) {
    expect((await api.call('GET', '/api/events', { token })).error?.code).toBe('wrong_key_type');
  }
});
