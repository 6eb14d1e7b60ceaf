/** What is fuzzed: both programs on their own Postgres and Redis, and the users that make the requests. */
import { buildIfStale } from '../../dashboard/build.ts';
import { waitFor } from '../harness/account-view.ts';
import { testPassword } from '../harness/customers.ts';
import type { Program } from '../harness/programs.ts';
import { type Harness, startHarness } from '../harness.ts';
import { startFuzzProvider } from './provider.ts';
import type { Names } from './requests/fuzz-request.ts';
import type { ProgramName } from './requests/operations.ts';

export interface World {
  readonly harness: Harness;
  readonly programs: Readonly<Record<ProgramName, Program>>;
  /** Accounts that were given money. */
  readonly accountIds: readonly number[];
  /**
   * New users and the original catalogue, because requests may have blocked, locked out or removed the previous ones.
   */
  renew(): Promise<Names>;
  stop(): Promise<void>;
}

const usd = '1000';
const publishedTimeoutMs = 120_000;

export async function createWorld(): Promise<World> {
  // Without it, every page is a 503.
  await buildIfStale();
  const harness = await startHarness();
  const provider = startFuzzProvider();
  await harness.applyCatalogue(provider.catalogue);
  const [proxy, admin] = await Promise.all([
    harness.startProxy(),
    // Each request seems to come from another address.
    harness.startAdmin({ TRUSTED_PROXY_HOPS: '1' }),
  ]);
  const accountIds: number[] = [];
  return {
    harness,
    programs: { proxy, admin },
    accountIds,
    renew: async () => {
      const [customer, victim, operator] = await Promise.all([
        harness.createCustomer({ usd }),
        harness.createCustomer({ usd }),
        harness.createCustomer({ usd: '0', role: 'operator' }),
      ]);
      accountIds.push(customer.accountId, victim.accountId);
      await harness.applyCatalogue(provider.catalogue);
      const { accessToken: token } = await logIn(admin, customer.email);
      const { accessToken: operatorToken } = await logIn(admin, operator.email);
      // A session that may be ended, and keys that may be deleted.
      const { refreshToken } = await logIn(admin, customer.email);
      const proxyKeyId = await createKey(admin, '/api/proxy-keys', token);
      const billingKeyId = await createKey(admin, '/api/billing-keys', token);
      const requestId = await spend(proxy, customer.proxyKey);
      return {
        proxyKey: customer.proxyKey,
        billingKey: customer.billingKey,
        proxyKeyId,
        billingKeyId,
        email: customer.email,
        password: testPassword,
        token,
        refreshToken,
        operatorToken,
        accountId: String(victim.accountId),
        requestId,
        cursor: Buffer.from(`${Date.now()}_${requestId}`).toString('base64url'),
        catalogue: provider.catalogue,
        mailId: '1',
        scheduledId: '1',
      };
    },
    stop: async () => {
      await provider.stop();
      await harness.stop();
    },
  };
}

async function logIn(admin: Program, email: string): Promise<{ accessToken: string; refreshToken: string }> {
  const response = await fetch(`${admin.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'x-forwarded-for': '192.0.2.1' },
    body: JSON.stringify({ email, password: testPassword }),
  });
  if (!response.ok) throw new Error(`login: ${response.status} ${await response.text()}`);
  return Object(await response.json());
}

async function createKey(admin: Program, path: string, token: string): Promise<string> {
  const response = await fetch(`${admin.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ name: 'to be changed' }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return String(Object(await response.json()).id);
}

/** One paid request, once the catalogue is effective again. Returns its id. */
async function spend(proxy: Program, key: string): Promise<string> {
  return waitFor('a paid request', publishedTimeoutMs, async () => {
    const response = await fetch(`${proxy.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: 'demo/chat', messages: [{ role: 'user', content: 'Hello!' }], max_tokens: 16 }),
    });
    await response.text();
    return response.ok && (response.headers.get('x-request-id') ?? undefined);
  });
}
