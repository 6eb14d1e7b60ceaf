/** What receivers of webhooks get, when it is tried again, and when an endpoint rests. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { webhookEventTypes } from '../../../admin/operations/webhook-events/webhook-event.ts';
import { pausesMs } from '../../../admin/webhooks/delivery/record-attempt.ts';
import { atOnceMax, atOnceOfAccount, atOnceOfEndpoint } from '../../../admin/webhooks/delivery/webhook-sender.ts';
import { checkUrl } from '../../../admin/webhooks/endpoints/check-url.ts';
import { changeEndpoint, endpointsMax, rotateSecret } from '../../../admin/webhooks/endpoints/endpoints.ts';
import { deliveryDays, purgeDeliveries } from '../../../admin/webhooks/purge-deliveries.ts';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { Receiver } from '../../harness/webhooks/receiver.ts';
import { type Harness, startHarness } from '../../harness.ts';
import { deliveriesOf, deliveryOf, happen, openEndpoint, openSender, settingsOf } from './endpoint.ts';

let harness: Harness;
let receiver: Receiver;
beforeAll(async () => {
  harness = await startHarness();
  receiver = new Receiver();
});
afterAll(async () => {
  await receiver.stop();
  await harness.stop();
});

const actor = { name: 'test', userId: null, address: null, requestId: null };
const failing =
  (status: number, text = 'no') =>
  () =>
    new Response(text, { status });

/** Answers once it is told to. */
function heldBack(path: string) {
  const held = Promise.withResolvers<void>();
  receiver.answers.set(path, async () => {
    await held.promise;
    return new Response('late');
  });
  return { release: () => held.resolve() };
}

describe('an event', () => {
  test('arrives with a signature that the official library verifies, and is recorded with the response', async () => {
    const endpoint = await openEndpoint(harness, receiver.url('/verified'));
    await happen(harness, endpoint, 7);
    await openSender(harness).sender.sendDue();
    const [request, ...others] = receiver.at('/verified');
    if (request === undefined) throw new Error('nothing arrived');
    expect(others).toEqual([]);
    const payload = Receiver.verify(endpoint.secret, request);
    expect(payload).toEqual({
      type: 'key.created',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      data: { keyId: 7, kind: 'proxy', name: 'production', prefix: 'ms-00' },
    });
    expect(request.headers['content-type']).toBe('application/json');
    expect(request.headers['webhook-id']).toMatch(/^evt_[\da-f-]{36}$/);
    expect(() => Receiver.verify(endpoint.secret, { ...request, body: `${request.body} ` })).toThrow();
    expect(await deliveryOf(harness, endpoint)).toMatchObject({
      ...{ state: 'delivered', attempts: 1, response_status: 200, response_body: 'thanks', error: null },
      lease_ends_at: null,
    });
  });

  test('is signed with both secrets for a day after a rotation', async () => {
    const endpoint = await openEndpoint(harness, receiver.url('/rotated'));
    const services = { db: harness.database.db, config: settingsOf(harness) };
    const manager = { id: null, accountId: endpoint.accountId };
    const { secret } = await rotateSecret(services, actor, { manager, id: endpoint.id });
    const opened = openSender(harness);
    await happen(harness, endpoint, 1);
    await opened.sender.sendDue();
    opened.now = new Date(opened.now.getTime() + 24 * 3_600_000);
    await happen(harness, endpoint, 2);
    await opened.sender.sendDue();
    const [within, after] = receiver.at('/rotated');
    if (within === undefined || after === undefined) throw new Error('not both arrived');
    expect(within.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const each of [secret, endpoint.secret]) Receiver.verify(each, within);
    expect(after.headers['webhook-signature']?.split(' ')).toHaveLength(1);
    // The library judges the time, too, and this one is a day ahead.
    expect(() => Receiver.verify(secret, after)).toThrow('too new');
  });

  test('goes to each active endpoint that subscribes to it, and to no one else', async () => {
    const subscribed = await openEndpoint(harness, receiver.url('/subscribed'), ['key.created']);
    const other = await openEndpoint(harness, receiver.url('/other'), ['key.deleted']);
    await happen(harness, subscribed, 1);
    await happen(harness, other, 2);
    expect(await deliveriesOf(harness, subscribed)).toHaveLength(1);
    expect(await deliveriesOf(harness, other)).toEqual([]);
    await harness.database.sql`UPDATE webhook_endpoints SET active = false WHERE id = ${subscribed.id}`;
    await happen(harness, subscribed, 3);
    expect(await deliveriesOf(harness, subscribed)).toHaveLength(1);
  });

  test('is written if and only if its transaction is', async () => {
    const endpoint = await openEndpoint(harness, receiver.url('/rolled-back'));
    const { db } = harness.database;
    const undone = db.transaction(async (transaction) => {
      await happen({ ...harness, database: { ...harness.database, db: transaction as never } }, endpoint, 1);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await deliveriesOf(harness, endpoint)).toEqual([]);
  });
});

describe('a failed attempt', () => {
  test('is repeated ten times over a day, then the endpoint rests and its owners get a mail', async () => {
    const endpoint = await openEndpoint(harness, receiver.url('/down'));
    const colleague = await harness.createCustomer({ usd: '0' });
    const { sql } = harness.database;
    await sql`
      INSERT INTO memberships (account_id, user_id, role) VALUES (${endpoint.accountId}, ${colleague.userId}, 'owner')`;
    receiver.answers.set('/down', failing(500, 'out of order'));
    const opened = openSender(harness);
    await happen(harness, endpoint, 1);
    const began = opened.now.getTime();
    for (const pauseMs of pausesMs) {
      await opened.sender.sendDue();
      const { state, next_attempt_at: next } = await deliveryOf(harness, endpoint);
      expect(state).toBe('pending');
      const waitsMs = next.getTime() - opened.now.getTime();
      expect(waitsMs).toBeWithin(pauseMs, pauseMs * 1.1 + 1);
      opened.now = new Date(next.getTime() - 1);
      await opened.sender.sendDue();
      opened.now = next;
    }
    expect((opened.now.getTime() - began) / 3_600_000).toBeWithin(22, 26);
    await happen(harness, endpoint, 2);
    await opened.sender.sendDue();
    const [failed, waiting] = await deliveriesOf(harness, endpoint);
    expect(failed).toMatchObject({
      ...{ state: 'failed', attempts: 10, response_status: 500, response_body: 'out of order' },
      error: 'the endpoint responded with status 500',
    });
    expect(waiting?.state).toBe('pending');
    expect(new Set(receiver.at('/down').map(({ headers }) => headers['webhook-id'])).size).toBe(2);
    const [stored] = await sql`SELECT active, rest_reason FROM webhook_endpoints WHERE id = ${endpoint.id}`;
    const reason = 'key.created was not delivered: the endpoint responded with status 500';
    expect(stored).toMatchObject({ active: false, rest_reason: reason });
    const mails =
      await sql`SELECT recipient FROM mails WHERE account_id = ${endpoint.accountId} AND kind = 'webhook_rested'`;
    expect(mails.map(({ recipient }) => recipient).sort()).toEqual([endpoint.email, colleague.email].sort());

    receiver.answers.delete('/down');
    opened.now = new Date(opened.now.getTime() + 86_400_000);
    await opened.sender.sendDue();
    expect((await deliveriesOf(harness, endpoint))[1]?.state).toBe('pending');
    const manager = { id: null, accountId: endpoint.accountId };
    const active = await changeEndpoint(harness.database.db, actor, {
      manager,
      id: endpoint.id,
      change: { active: true },
    });
    expect(active).toMatchObject({ active: true, restedAt: null, restReason: null });
    await opened.sender.sendDue();
    expect((await deliveriesOf(harness, endpoint)).map(({ state }) => state)).toEqual(['failed', 'delivered']);
  });

  test('of a receiver that is gone is the last one', async () => {
    const endpoint = await openEndpoint(harness, receiver.url('/gone'));
    receiver.answers.set('/gone', failing(410));
    await happen(harness, endpoint, 1);
    await openSender(harness).sender.sendDue();
    expect((await deliveryOf(harness, endpoint)).state).toBe('failed');
    const [stored] = await harness.database.sql`SELECT active FROM webhook_endpoints WHERE id = ${endpoint.id}`;
    expect(stored?.active).toBe(false);
  });

  test('that several deliveries have at once rests the endpoint once, with one mail', async () => {
    const endpoint = await openEndpoint(harness, receiver.url('/all-gone'));
    receiver.answers.set('/all-gone', failing(410));
    await happen(harness, endpoint, 1, 2, 3);
    await openSender(harness).sender.sendDue();
    const { sql } = harness.database;
    const mails = await sql`SELECT FROM mails WHERE account_id = ${endpoint.accountId} AND kind = 'webhook_rested'`;
    expect(mails).toHaveLength(1);
  });

  test.each<readonly [string, () => Response, string]>([
    ['/moved', () => new Response('', { status: 301, headers: { location: '/elsewhere' } }), 'redirected (status 301)'],
    ['/teapot', failing(418), 'status 418'],
    ['/not-modified', () => new Response(null, { status: 304 }), 'redirected (status 304)'],
  ])('says why: %s', async (path, answer, reason) => {
    const endpoint = await openEndpoint(harness, receiver.url(path));
    receiver.answers.set(path, answer);
    await happen(harness, endpoint, 1);
    await openSender(harness).sender.sendDue();
    expect((await deliveryOf(harness, endpoint)).error).toContain(reason);
    expect(receiver.at('/elsewhere')).toEqual([]);
  });

  test('is one that takes longer than five seconds, and one whose connection is refused', async () => {
    const silent = await openEndpoint(harness, receiver.url('/silent'));
    const closed = await openEndpoint(harness, 'http://127.0.0.1:1/');
    const held = heldBack('/silent');
    await happen(harness, silent, 1);
    await happen(harness, closed, 1);
    await openSender(harness).sender.sendDue();
    expect((await deliveryOf(harness, silent)).error).toBe('the endpoint did not respond within 5 seconds');
    expect((await deliveryOf(harness, closed)).error).toContain('ECONNREFUSED');
    held.release();
  });

  test('is one to a name that leads to a private address since the endpoint was saved', async () => {
    const answers = ['8.8.8.8', '127.0.0.1'];
    const resolve = async () => [{ address: answers.shift() ?? '', family: 4 }];
    const url = receiver.url('/rebound').replace('http://127.0.0.1', 'https://hooks.example.com');
    await checkUrl(url, { webhookReach: 'public', resolve });
    await expect(checkUrl(url, { webhookReach: 'public', resolve })).rejects.toThrow('expected a public https URL');
    const endpoint = await openEndpoint(harness, url);
    await happen(harness, endpoint, 1);
    answers.push('127.0.0.1');
    await openSender(harness, { reach: 'public', resolve }).sender.sendDue();
    expect((await deliveryOf(harness, endpoint)).error).toBe('hooks.example.com leads to a private address');
    expect([receiver.at('/rebound'), answers]).toEqual([[], []]);
  });

  test('is one to an address that is private by now, which was saved when it was not', async () => {
    const endpoint = await openEndpoint(harness, receiver.url('/private').replace('http:', 'https:'));
    await happen(harness, endpoint, 1);
    await openSender(harness, { reach: 'public' }).sender.sendDue();
    expect((await deliveryOf(harness, endpoint)).error).toContain('is not a public https address');
    expect(receiver.at('/private')).toEqual([]);
  });
});

test('of a response only the first 1,000 characters are kept, whatever their bytes', async () => {
  const endpoint = await openEndpoint(harness, receiver.url('/long'));
  receiver.answers.set('/long', () => new Response(`\u0000${'😀'.repeat(5_000)}`));
  await happen(harness, endpoint, 1);
  await openSender(harness).sender.sendDue();
  const { state, response_body: body } = await deliveryOf(harness, endpoint);
  expect([state, [...(body ?? '')].length]).toEqual(['delivered', 1_000]);
  expect(body?.startsWith('\ufffd😀')).toBe(true);
});

describe('several senders', () => {
  test('attempt each delivery once', async () => {
    const endpoint = await openEndpoint(harness, receiver.url('/shared'));
    const keyIds = Array.from({ length: 40 }, (_, index) => index);
    await happen(harness, endpoint, ...keyIds);
    await Promise.all(Array.from({ length: 4 }, () => openSender(harness).sender.sendDue()));
    const arrived = receiver.at('/shared').map(({ body }) => JSON.parse(body).data.keyId);
    expect(arrived.sort((a, b) => a - b)).toEqual(keyIds);
    expect((await deliveriesOf(harness, endpoint)).every(({ attempts }) => attempts === 1)).toBe(true);
  });

  test('take over what one that died has claimed, after its lease and not before', async () => {
    const endpoint = await openEndpoint(harness, receiver.url('/abandoned'));
    await happen(harness, endpoint, 1);
    const opened = openSender(harness);
    await harness.database.sql`
      UPDATE webhook_deliveries SET attempts = 1, tries_left = 9, lease_ends_at = ${new Date(opened.now.getTime() + 60_000)}
      WHERE endpoint_id = ${endpoint.id}`;
    await opened.sender.sendDue();
    expect(receiver.at('/abandoned')).toEqual([]);
    opened.now = new Date(opened.now.getTime() + 60_000);
    await opened.sender.sendDue();
    expect(await deliveryOf(harness, endpoint)).toMatchObject({ state: 'delivered', attempts: 2, tries_left: 8 });
  });

  test('leave to the newest attempt to say what came of it', async () => {
    const endpoint = await openEndpoint(harness, receiver.url('/overtaken'));
    const held = heldBack('/overtaken');
    await happen(harness, endpoint, 1);
    const sent = openSender(harness).sender.sendDue();
    await waitFor('the attempt', guardTimeoutMs, async () => receiver.at('/overtaken').length > 0);
    await harness.database.sql`UPDATE webhook_deliveries SET attempts = 2 WHERE endpoint_id = ${endpoint.id}`;
    held.release();
    await sent;
    expect(await deliveryOf(harness, endpoint)).toMatchObject({ state: 'pending', attempts: 2 });
  });
});

test('a slow endpoint delays no other, and has only its share of attempts at once', async () => {
  const slow = await openEndpoint(harness, receiver.url('/slow'));
  const quick = await openEndpoint(harness, receiver.url('/quick'));
  const held = heldBack('/slow');
  await happen(harness, slow, ...Array.from({ length: 10 }, (_, index) => index));
  const sent = openSender(harness).sender.sendDue();
  await waitFor('the slow endpoint', guardTimeoutMs, async () => receiver.at('/slow').length >= atOnceOfEndpoint);
  await happen(harness, quick, 1, 2, 3);
  await waitFor('the quick endpoint', guardTimeoutMs, async () => receiver.at('/quick').length === 3);
  expect(receiver.at('/slow')).toHaveLength(atOnceOfEndpoint);
  held.release();
  await sent;
  expect((await deliveriesOf(harness, slow)).every(({ attempts }) => attempts === 1)).toBe(true);
});

const crowdEvents = endpointsMax * 2 * atOnceOfEndpoint;

/** An organization whose endpoints do not respond before they are released. Each has twice as many events as are sent to it together. */
async function openCrowd(name: string) {
  const paths = Array.from({ length: endpointsMax }, (_, index) => `/crowd/${name}/${index}`);
  const held = paths.map(heldBack);
  const first = await openEndpoint(harness, receiver.url(paths[0] ?? ''));
  for (const path of paths.slice(1)) await openEndpoint(harness, receiver.url(path), webhookEventTypes, first);
  await happen(harness, first, ...Array.from({ length: 2 * atOnceOfEndpoint }, (_, index) => index));
  return {
    attempts: () => paths.reduce((sum, path) => sum + receiver.at(path).length, 0),
    releaseOne: () => held[0]?.release(),
    release: () => {
      for (const { release } of held) release();
    },
  };
}

test('organizations with many slow endpoints have only their shares of attempts at once', async () => {
  const crowds = await Promise.all(['one', 'two'].map(openCrowd));
  const attempts = () => crowds.map((crowd) => crowd.attempts());
  const quick = await openEndpoint(harness, receiver.url('/beside'));
  const sent = openSender(harness).sender.sendDue();
  await waitFor('their shares', guardTimeoutMs, async () => attempts().every((count) => count >= atOnceOfAccount));
  await happen(harness, quick, 1, 2, 3);
  await waitFor('the quick endpoint', guardTimeoutMs, async () => receiver.at('/beside').length === 3);
  expect(attempts()).toEqual([atOnceOfAccount, atOnceOfAccount]);
  for (const { release } of crowds) release();
  await sent;
  expect(attempts()).toEqual([crowdEvents, crowdEvents]);
});

test('while all attempts are taken, the next goes to the organization that has the fewest', async () => {
  const names = Array.from({ length: atOnceMax / atOnceOfAccount }, (_, index) => `many-${index}`);
  const crowds = await Promise.all(names.map(openCrowd));
  const quick = await openEndpoint(harness, receiver.url('/first'));
  const sent = openSender(harness).sender.sendDue();
  await waitFor('all attempts', guardTimeoutMs, async () =>
    crowds.every(({ attempts }) => attempts() === atOnceOfAccount),
  );
  await happen(harness, quick, 1);
  crowds[0]?.releaseOne();
  await waitFor('the quick endpoint', guardTimeoutMs, async () => receiver.at('/first').length === 1);
  for (const { release } of crowds) release();
  await sent;
});

test('what waits for an attempt that ends while the sender looks for more is sent in the same step', async () => {
  const endpoint = await openEndpoint(harness, receiver.url('/ends'));
  const held = heldBack('/ends');
  await happen(harness, endpoint, ...Array.from({ length: atOnceOfEndpoint + 1 }, (_, index) => index));
  const attempted = async () => (await deliveriesOf(harness, endpoint)).filter(({ attempts }) => attempts > 0);
  let claims = 0;
  const sql = new Proxy(harness.database.sql, {
    apply: async (ask, self, statement) => {
      const rows = await Reflect.apply(ask, self, statement);
      claims += 1;
      if (claims !== 2) return rows;
      // Postgres has responded that all that may be sent is being sent.
      held.release();
      await waitFor('the responses', guardTimeoutMs, async () =>
        (await attempted()).every(({ state }) => state === 'delivered'),
      );
      await Bun.sleep(20);
      return rows;
    },
  });
  await openSender({ ...harness, database: { ...harness.database, sql } }).sender.sendDue();
  expect(await attempted()).toHaveLength(atOnceOfEndpoint + 1);
});

test('a shutdown aborts what is in flight after the grace period, and the next sender sends it at once', async () => {
  const endpoint = await openEndpoint(harness, receiver.url('/cut'));
  const held = heldBack('/cut');
  await happen(harness, endpoint, 1);
  const opened = openSender(harness);
  const sent = opened.sender.sendDue();
  await waitFor('the attempt', guardTimeoutMs, async () => receiver.at('/cut').length > 0);
  opened.stopping.abort();
  await sent;
  expect(await deliveryOf(harness, endpoint)).toMatchObject({ state: 'pending', tries_left: 10, lease_ends_at: null });
  held.release();
  await openSender(harness).sender.sendDue();
  expect(await deliveryOf(harness, endpoint)).toMatchObject({ state: 'delivered', attempts: 2 });
});

test('a secret that was sealed with a former pepper still signs, and is sealed again', async () => {
  const endpoint = await openEndpoint(harness, receiver.url('/pepper'));
  const newer = { ...harness, keyPepper: crypto.randomUUID() };
  const { sql } = harness.database;
  const before = await sql`SELECT sealed_secret FROM webhook_endpoints WHERE id = ${endpoint.id}`;
  await happen(harness, endpoint, 1);
  await openSender(newer).sender.sendDue();
  expect((await deliveryOf(harness, endpoint)).error).toContain('can no longer be read');
  const rotated = openSender(harness, { keyPeppers: [newer.keyPepper, harness.keyPepper] });
  rotated.now = new Date(rotated.now.getTime() + 60_000);
  await rotated.sender.sendDue();
  const [request] = receiver.at('/pepper');
  if (request === undefined) throw new Error('nothing arrived');
  Receiver.verify(endpoint.secret, request);
  const after = await sql`SELECT sealed_secret FROM webhook_endpoints WHERE id = ${endpoint.id}`;
  expect(after).not.toEqual(before);
});

test('deliveries are deleted after 30 days, those of deleted endpoints too', async () => {
  const endpoint = await openEndpoint(harness, receiver.url('/old'));
  await happen(harness, endpoint, 1);
  await harness.database.sql`DELETE FROM webhook_endpoints WHERE id = ${endpoint.id}`;
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
  await purgeDeliveries(harness.database.sql, inDays(deliveryDays - 1));
  expect(await deliveriesOf(harness, endpoint)).toHaveLength(1);
  await openSender(harness).sender.sendDue();
  expect(receiver.at('/old')).toEqual([]);
  await purgeDeliveries(harness.database.sql, inDays(deliveryDays + 1));
  expect(await deliveriesOf(harness, endpoint)).toEqual([]);
});
