/** What belongs to one account is not found by any other: every operation that names something, called by a stranger. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { roles } from '../../../../admin/auth/permissions.ts';
import { companyDetails } from '../../../../admin/database/tables/company-details.ts';
import { organizationDomains, passkeys } from '../../../../admin/database/tables/sign-in.ts';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import { recordOf } from '../../../../admin/organizations/single-sign-on/domains.ts';
import type { ErrorBody } from '../../../../shared/errors.ts';
import { type Customer, testPassword } from '../../../harness/customers.ts';
import { type OpenApiDocument, type Operation, operationsOf } from '../../../harness/openapi/operations-of.ts';
import { testCatalogue } from '../../../harness/providers/test-catalogue.ts';
import { DnsServer } from '../../../harness/sign-in/dns-server.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { company, sellerFile } from '../../documents/books.ts';
import { newDocument } from '../../documents/new-document.ts';
import { chargeOf } from '../../ledger/ledger.ts';
import { newestToken } from '../mailbox.ts';
import type { CreatedKey } from '../response-types.ts';
import { type Api, logIn, startApi } from '../start-api.ts';

const document: OpenApiDocument = await Bun.file(join(import.meta.dir, '../docs/openapi.snapshot.json')).json();
const naming = operationsOf(document).filter(
  ({ route, security = [] }) => route.includes('{') && !route.includes(' /api/operator/') && security.length > 0,
);

type Owned = Readonly<
  Record<
    | 'proxyKey'
    | 'billingKey'
    | 'request'
    | 'payment'
    | 'document'
    | 'session'
    | 'passkey'
    | 'domain'
    | 'address'
    | 'member'
    | 'invitation'
    | 'project'
    | 'budget'
    | 'webhook'
    | 'delivery',
    string
  >
>;

/** By the beginning of the path. A path that is not here fails the first test. */
const things: readonly [prefix: string, thing: keyof Owned][] = [
  ['/api/proxy-keys/', 'proxyKey'],
  ['/api/keys/', 'proxyKey'],
  ['/api/billing-keys/', 'billingKey'],
  ['/api/requests/', 'request'],
  ['/api/payments/', 'payment'],
  ['/api/documents/', 'document'],
  ['/api/profile/sessions/', 'session'],
  ['/api/profile/passkeys/', 'passkey'],
  ['/api/organization/sign-in/domains/', 'domain'],
  ['/api/settings/notifications/addresses/', 'address'],
  ['/api/members/', 'member'],
  ['/api/invitations/', 'invitation'],
  ['/api/projects/', 'project'],
  ['/api/budgets/', 'budget'],
  ['/api/webhooks/', 'webhook'],
];

const domain = { domain: 'hers.example', token: 'a-token' };
const newPasskey = { credentialId: 'hers', publicKey: '', signCount: 0, transports: [], name: 'Laptop' };

interface Person extends Customer {
  readonly token: string;
}

let harness: Harness;
let dns: DnsServer;
let api: Api;
let owner: Person;
let owned: Owned;
const strangers = new Map<string, Person>();
beforeAll(async () => {
  harness = await startHarness();
  dns = await DnsServer.start();
  dns.records.set(domain.domain, [recordOf(domain)]);
  await harness.applyCatalogue(testCatalogue('http://127.0.0.1:9/v1'));
  api = await startApi(harness, {
    environment: { SELLER_FILE: sellerFile, CBR_URL: 'off', DNS_SERVER: dns.address, WEBHOOK_ALLOW_PRIVATE: 'true' },
  });
  owner = await newPerson();
  owned = await makeThings(owner);
  for (const role of roles) {
    const stranger = await newPerson();
    await harness.database.sql`UPDATE memberships SET role = ${role} WHERE user_id = ${stranger.userId}`;
    strangers.set(role, stranger);
  }
});
afterAll(async () => {
  await api.stop();
  await dns.stop();
  await harness.stop();
});

async function newPerson(): Promise<Person> {
  const customer = await harness.createCustomer({ usd: '10' });
  const token = await logIn(api, customer.email, testPassword);
  // Passkeys are removed in a confirmed session.
  await api.call('POST', '/api/profile/confirm', { token, body: { current_password: testPassword } });
  return { ...customer, token };
}

async function makeThings({ accountId, proxyKeyId, token, userId }: Person): Promise<Owned> {
  const { db, sql } = harness.database;
  const [price] = await sql<{ version: string }[]>`SELECT version FROM model_prices WHERE model = 'test/chat'`;
  const charge = chargeOf(accountId, { keyId: proxyKeyId });
  await applyCharges(sql, [{ ...charge, detail: { ...charge.detail, priceVersion: Number(price?.version) } }]);
  const payment = crypto.randomUUID();
  await sql`
    INSERT INTO payments (id, account_id, method, status, currency, amount_minor, credit_nano, rub_per_usd, margin_ppm,
      rub_kopecks, return_url, email, expires_at)
    VALUES (${payment}, ${accountId}, 'yookassa', 'expired', 'RUB', 100, 1, 900000, 0, 100, '', '', now())`;
  await db.insert(companyDetails).values({ accountId, ...company });
  const billing = await api.call<CreatedKey>('POST', '/api/billing-keys', { token, body: { name: 'billing' } });
  await logIn(api, owner.email, testPassword);
  const { body } = await api.call<{ sessions: { id: string; current: boolean }[] }>('GET', '/api/profile/sessions', {
    token,
  });
  const address = await api.call<{ id: number }>('POST', '/api/settings/notifications/addresses', {
    token,
    body: { email: `alerts-${accountId}@example.com` },
  });
  const invite = (email: string, role: string) =>
    api.call<{ id: number }>('POST', '/api/invitations', { token, body: { email, role } });
  const member = await newPerson();
  await invite(member.email, 'member');
  const link = { token: await newestToken(harness, member.email, 'invitation') };
  await api.call('POST', '/api/invitations/accept', { token: member.token, body: link });
  const invitation = await invite(`invited-${accountId}@example.com`, 'member');
  const project = await api.call<{ id: number }>('POST', '/api/projects', { token, body: { name: 'Support bot' } });
  const [passkey] = await db
    .insert(passkeys)
    .values({ ...newPasskey, userId })
    .returning();
  await db.insert(organizationDomains).values({ ...domain, accountId });
  const budgeted = { scope: 'project', scopeId: project.body.id, period: 'month', amount: '5' };
  const budget = await api.call<{ id: string }>('POST', '/api/budgets', { token, body: budgeted });
  const hooked = { url: 'http://127.0.0.1:9/', events: ['key.created'] };
  const webhook = await api.call<{ id: string }>('POST', '/api/webhooks', { token, body: hooked });
  const delivery = await api.call<{ id: number }>('POST', `/api/webhooks/${webhook.body.id}/test`, { token });
  return {
    budget: budget.body.id,
    webhook: webhook.body.id,
    delivery: String(delivery.body.id),
    passkey: String(passkey?.id),
    domain: domain.domain,
    project: String(project.body.id),
    member: String(member.userId),
    invitation: String(invitation.body.id),
    proxyKey: String(proxyKeyId),
    billingKey: String(billing.body.id),
    request: charge.requestId,
    payment,
    document: await newDocument(db, accountId),
    session: body.sessions.find(({ current }) => !current)?.id ?? '',
    address: String(address.body.id),
  };
}

const thingOf = (route: string) => things.find(([prefix]) => route.includes(` ${prefix}`))?.[1];

async function call({ route, requestBody, security }: Operation, person: Person) {
  const [method = '', path = ''] = route.split(' ');
  const thing = thingOf(route);
  const credential = security?.some((scheme) => 'billingKey' in scheme) ? person.billingKey : person.token;
  const example = requestBody?.content['application/json']?.example;
  const named = path.replace(/\{\w+\}/, thing === undefined ? '' : owned[thing]);
  const response = await fetch(`${api.url}${named.replace('{deliveryId}', owned.delivery)}`, {
    method,
    headers: {
      authorization: `Bearer ${credential}`,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    },
    ...(example !== undefined && { body: JSON.stringify(example) }),
  });
  const text = await response.text();
  const { error } = response.ok ? { error: undefined } : (JSON.parse(text) as ErrorBody);
  return { status: response.status, code: error?.code };
}

/** Everything that the calls could have changed. */
async function stateOfThings() {
  const { sql } = harness.database;
  const { accountId, userId } = owner;
  return {
    keys: await sql`SELECT * FROM api_keys WHERE account_id = ${accountId} ORDER BY id`,
    payments: await sql`SELECT * FROM payments WHERE account_id = ${accountId}`,
    addresses: await sql`SELECT * FROM alert_addresses WHERE account_id = ${accountId}`,
    members: await sql`SELECT * FROM memberships WHERE account_id = ${accountId} ORDER BY user_id`,
    budgets: await sql`SELECT * FROM budgets WHERE account_id = ${accountId}`,
    webhooks: await sql`SELECT * FROM webhook_endpoints WHERE account_id = ${accountId}`,
    deliveries: await sql`SELECT * FROM webhook_deliveries WHERE endpoint_id = ${owned.webhook} ORDER BY id`,
    projects: await sql`SELECT * FROM projects WHERE account_id = ${accountId}`,
    invitations: await sql`SELECT * FROM invitations WHERE account_id = ${accountId}`,
    domains: await sql`SELECT * FROM organization_domains WHERE account_id = ${accountId}`,
    passkeys: await sql`SELECT * FROM passkeys WHERE user_id = ${userId}`,
    sessions: await sql`SELECT family, revoked_at FROM refresh_tokens WHERE user_id = ${userId} ORDER BY id`,
  };
}

test('every operation that names something of an account is tried', () => {
  expect(naming.filter(({ route }) => thingOf(route) === undefined)).toEqual([]);
  expect(new Set(naming.map(({ route }) => thingOf(route)))).toEqual(new Set(things.map(([, thing]) => thing)));
});

describe.each([...roles])('the %s of another account', (role) => {
  test.each(naming)('$operationId finds nothing, and changes nothing', async (operation) => {
    const stranger = strangers.get(role);
    if (stranger === undefined) throw new Error(`there is no ${role}`);
    const before = await stateOfThings();
    const { status, code } = await call(operation, stranger);
    expect([404, 403]).toContain(status);
    expect(code).toBe(status === 404 ? 'not_found' : 'role_required');
    expect(await stateOfThings()).toEqual(before);
  });
});

/** The same calls, so that those above are not refused for another reason; what deletes comes last. */
const order = ['GET', 'PUT', 'POST', 'DELETE'];
const byItsOwner = [...naming].sort(
  (one, other) => order.indexOf(one.route.split(' ')[0] ?? '') - order.indexOf(other.route.split(' ')[0] ?? ''),
);
test('the owner finds all of it with the same calls', async () => {
  const deleted = new Set<string>();
  for (const operation of byItsOwner) {
    const { status } = await call(operation, owner);
    const name = `${operation.route.split(' ')[0]} ${thingOf(operation.route)}`;
    // A proxy key can be deleted in two places.
    const isGone = name.startsWith('DELETE') && deleted.has(name);
    expect([operation.route, status < 300 ? 'found' : status]).toEqual([operation.route, isGone ? 404 : 'found']);
    deleted.add(name);
  }
});
