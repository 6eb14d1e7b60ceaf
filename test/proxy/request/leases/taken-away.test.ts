/**
 * A key that is taken away is taken away at once: whatever three busy proxies have of it in leases, no request that begins
 * after the call has returned is served.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { blockAccount } from '../../../../admin/accounts/block-account.ts';
import { deliverOutbox } from '../../../../admin/wallets/deliver-outbox.ts';
import { monotonicMs } from '../../../../shared/durations.ts';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { violationsAtRest } from '../../../harness/books.ts';
import { chat, errorCodeOf } from '../../../harness/clients/chat.ts';
import type { Customer } from '../../../harness/customers.ts';
import { type Gateway, startProxyProgram } from '../../../harness/gateway.ts';
import { logInAt } from '../../../harness/log-in-at.ts';
import type { Program } from '../../../harness/programs.ts';
import { wholeResponse } from '../../../harness/providers/scripted-provider.ts';
import { readLeased } from '../../../harness/read-metric.ts';

const clientsOfProxy = 2;
/** Reading the metrics of a proxy keeps it from serving for some milliseconds. */
const readEveryMs = 50;
/** Once they are refused, they have nothing to do but to notice whether one of the proxies serves again. */
const afterRefusalMs = 50;
/** Far beyond what they can send: they ask again as soon as they have a response. */
const environment = { RATE_LIMIT_REQUESTS_PER_MINUTE: '10000000' };

let gateway: Gateway<Program>;
let proxies: Program[];
beforeAll(async () => {
  gateway = await startProxyProgram({ proxyEnvironment: environment });
  const { harness, provider } = gateway;
  proxies = [gateway.proxy, ...(await Promise.all([harness.startProxy(environment), harness.startProxy(environment)]))];
  provider.on('upstream-chat', wholeResponse({ usage: { promptTokens: 9, completionTokens: 5 } }));
});
afterAll(() => gateway.stop());

const ask = (proxy: Program, { proxyKey }: Customer) => chat(proxy, proxyKey, { model: 'test/chat', max_tokens: 10 });

async function change({ billingKey, proxyKeyId }: Customer, method: string, body?: object): Promise<void> {
  const response = await fetch(`${gateway.admin.url}/api/keys/${proxyKeyId}`, {
    method,
    headers: { authorization: `Bearer ${billingKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(response.ok).toBe(true);
}

async function call<Body>(method: string, path: string, token: string, body: object): Promise<Body> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${gateway.admin.url}${path}`, { method, headers, body: JSON.stringify(body) });
  expect(response.ok).toBe(true);
  return (await response.json()) as Body;
}

/** Each way to take a key away, and how its requests are refused then. */
const ways: Readonly<Record<string, readonly [code: string, takeAway: (customer: Customer) => Promise<unknown>]>> = {
  'deleting it': ['invalid_api_key', (customer) => change(customer, 'DELETE')],
  'deactivating it': ['key_deactivated', (customer) => change(customer, 'PUT', { active: false })],
  'a limit that it has spent': [
    'key_limit_exceeded',
    (customer) => change(customer, 'PUT', { limits: { spendLimits: { total: 0.000001 } } }),
  ],
  'allowing it another model only': [
    'model_not_allowed',
    (customer) => change(customer, 'PUT', { limits: { allowedModels: ['test/failover'] } }),
  ],
  'allowing it other addresses only': [
    'address_not_allowed',
    (customer) => change(customer, 'PUT', { allowedIps: ['203.0.113.0/24'] }),
  ],
  'allowing its organization other addresses only': [
    'address_not_allowed',
    async (customer) => {
      const token = await logInAt(gateway.admin.url, customer);
      await call('PUT', '/api/organization/ip-allow-list', token, { entries: ['2001:db8::/32'] });
    },
  ],
  'archiving its project': [
    'project_archived',
    async (customer) => {
      const { admin } = gateway;
      const token = await logInAt(admin.url, customer);
      const { id } = await call<{ id: number }>('POST', '/api/projects', token, { name: 'Support bot' });
      await change(customer, 'PUT', { projectId: id });
      await call('PUT', `/api/projects/${id}`, token, { archived: true });
    },
  ],
  'removing the member who has created it': [
    'key_deactivated',
    async (customer) => {
      const { accountId, proxyKeyId } = customer;
      const { harness, admin } = gateway;
      const { userId } = await harness.createCustomer({ usd: '0' });
      const { sql } = harness.database;
      await sql`INSERT INTO memberships (account_id, user_id, role) VALUES (${accountId}, ${userId}, 'member')`;
      await sql`UPDATE api_keys SET created_by = ${userId} WHERE id = ${proxyKeyId}`;
      const headers = { authorization: `Bearer ${await logInAt(admin.url, customer)}` };
      expect((await fetch(`${admin.url}/api/members/${userId}`, { method: 'DELETE', headers })).status).toBe(204);
    },
  ],
  'blocking the account': [
    'key_deactivated',
    async ({ accountId }) => {
      const { database, keeper } = gateway.harness;
      const actor = { name: 'cli:test', userId: null, address: null, requestId: null };
      await blockAccount(database.db, actor, { accountId, reason: 'test' });
      await deliverOutbox({ sql: database.sql, keeper }, accountId);
    },
  ],
};

describe('three proxies under load', () => {
  test.each(Object.entries(ways))('serve nothing that begins after %s', async (_way, [code, takeAway]) => {
    const customer = await gateway.harness.createCustomer({ usd: '5' });
    const served: number[] = [];
    const refused = new Set<string>();
    let isLoading = true;
    const work = async (proxy: Program) => {
      while (isLoading) {
        const beganAtMs = monotonicMs();
        const response = await ask(proxy, customer);
        if (response.status === 200) {
          await response.text();
          served.push(beganAtMs);
        } else {
          refused.add(await errorCodeOf(response));
          await Bun.sleep(afterRefusalMs);
        }
      }
    };
    const before = await Promise.all(proxies.map(readLeased));
    const load = proxies.flatMap((proxy) => Array.from({ length: clientsOfProxy }, () => work(proxy)));
    await waitFor('leases in all proxies', guardTimeoutMs, async () => {
      await Bun.sleep(readEveryMs);
      const leased = await Promise.all(proxies.map(readLeased));
      return leased.every((count, index) => count > (before[index] ?? 0));
    });
    await takeAway(customer);
    const returnedAtMs = monotonicMs();
    // A lease would be of use for one and a half seconds more.
    await Bun.sleep(1_600);
    isLoading = false;
    await Promise.all(load);
    expect(served.filter((beganAtMs) => beganAtMs > returnedAtMs)).toEqual([]);
    expect([...refused]).toEqual([code]);
    expect(await violationsAtRest(gateway.harness, [customer.accountId])).toEqual([]);
  });

  test('do not hinder a deletion while one of them is frozen, and that one refuses the key when it wakes', async () => {
    const customer = await gateway.harness.createCustomer({ usd: '5' });
    const frozen = proxies[0] ?? gateway.proxy;
    const before = await readLeased(frozen);
    await waitFor('a lease', guardTimeoutMs, async () => {
      expect((await ask(frozen, customer)).status).toBe(200);
      return (await readLeased(frozen)) > before;
    });
    process.kill(frozen.pid, 'SIGSTOP');
    try {
      await change(customer, 'DELETE');
    } finally {
      const late = ask(frozen, customer);
      process.kill(frozen.pid, 'SIGCONT');
      expect((await late).status).toBe(401);
    }
    expect(await violationsAtRest(gateway.harness, [customer.accountId])).toEqual([]);
  });
});
