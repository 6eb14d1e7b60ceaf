/**
 * Every operation of /api while Postgres is killed, and while it is stopped: 503 `database_unavailable`, no hanging
 * call and no 500. The operations come from the document, so new operations are tested too; all of them need Postgres
 * except the pages of mailed links, which only ask for a confirmation.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shortWaits } from '../../../../admin/database/connect.ts';
import { migrateDatabase } from '../../../../admin/database/migrate.ts';
import { type ChaosServer, chaosPostgres } from '../../../chaos/world/servers.ts';
import { waitFor } from '../../../harness/account-view.ts';
import { type OpenApiDocument, type Operation, operationsOf } from '../../../harness/openapi/operations-of.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { type Api, createOperator, type Operator, startApi } from '../start-api.ts';

/** The limit of five seconds assumes a machine that is not busy; a call without a limit would never end. */
const deadlineMs = 60_000;
const recoveryMs = 20_000;

const document: OpenApiDocument = await Bun.file(join(import.meta.dir, '../docs/openapi.snapshot.json')).json();
/** What Stripe sends is signed. YooKassa's notifications have the same handler. */
const signed = 'POST /api/webhooks/stripe';
const operations = operationsOf(document).filter(
  ({ responses, route }) => responses[200]?.content?.['text/html'] === undefined && route !== signed,
);
const routes = operations.map(({ route }) => route);

let directory: string;
let postgres: ChaosServer;
let harness: Harness;
let api: Api;
let operator: Operator;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-test-away-'));
  postgres = chaosPostgres(directory);
  await postgres.start();
  await migrateDatabase(postgres.url);
  harness = await startHarness({ testDatabase: { url: postgres.url, drop: () => postgres.stop() } });
  api = await startApi(harness, {
    waits: shortWaits,
    environment: { YOOKASSA_SHOP_ID: '1', YOOKASSA_SECRET_KEY: 'secret' },
  });
  operator = await createOperator(harness, api);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
  await rm(directory, { recursive: true, force: true });
});

describe.each([
  { outage: 'killed', begin: () => postgres.kill(), end: () => postgres.start() },
  { outage: 'stopped', begin: () => postgres.freeze(), end: () => postgres.thaw() },
])('with a Postgres that is $outage', ({ begin, end }) => {
  const responses = new Map<string, Awaited<ReturnType<typeof call>>>();

  beforeAll(async () => {
    // Some connections of the pools are open, others have yet to be opened.
    await Promise.all([1, 2, 3].map(() => readBalance()));
    await begin();
    try {
      await Promise.all(operations.map(async (operation) => responses.set(operation.route, await call(operation))));
    } finally {
      await end();
    }
  });

  test.each(routes)('%s reports in time that the database cannot be reached', (route) => {
    const retryAfter = expect.stringMatching(/^[1-9]\d*$/);
    expect(responses.get(route)).toEqual({ status: 503, code: 'database_unavailable', retryAfter });
  });

  test('the API recovers when Postgres is back', async () => {
    await waitFor('the API to answer', recoveryMs, async () => (await readBalance()).status === 200);
  });
});

test('the document lists the error for every operation', () => {
  const silent = operations.filter(
    ({ responses }) => !('database_unavailable' in (responses[503]?.content?.['application/json']?.examples ?? {})),
  );
  expect(silent.map(({ route }) => route)).toEqual([]);
});

function readBalance() {
  return api.call('GET', '/api/balance', { token: operator.token });
}

const notification = { type: 'notification', event: 'payment.succeeded', object: { id: '1' } };

/** Calls the operation with its example's parameters and body, by a caller with access to everything. */
async function call({ route, security = [], parameters = [], requestBody }: Operation) {
  const [method = '', path = ''] = route.split(' ');
  const filled = path
    .replace(/{(requestId|paymentId|endpointId)}/, crypto.randomUUID())
    .replace(/{(id|deliveryId)}/, '1');
  const url = new URL(filled, 'http://localhost');
  for (const { name, in: place, required } of parameters) {
    if (place === 'query' && required) url.searchParams.set(name, crypto.randomUUID());
  }
  const response = api.call(method, `${url.pathname}${url.search}`, {
    headers: { 'idempotency-key': crypto.randomUUID() },
    ...(security.length > 0 && { token: 'billingKey' in (security[0] ?? {}) ? operator.billingKey : operator.token }),
    ...(path.startsWith('/api/webhooks/') && security.length === 0 && { body: notification }),
    ...(requestBody && { body: Object(requestBody.content['application/json']?.example) }),
  });
  const late = Bun.sleep(deadlineMs).then(() => undefined);
  const inTime = await Promise.race([response, late]);
  if (inTime === undefined) return { status: 'no answer in time' };
  return { status: inTime.status, code: inTime.error?.code, retryAfter: inTime.headers.get('retry-after') };
}
