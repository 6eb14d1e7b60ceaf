/**
 * Requests with random values on two proxies, while admins are killed and what is asked for changes: each charge is attributed
 * to what its request said, once.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { guardTimeoutMs, logIn, waitFor } from '../harness/account-view.ts';
import { violationsAtRest } from '../harness/books.ts';
import { inCampaign } from '../harness/campaigns.ts';
import type { Customer } from '../harness/customers.ts';
import { type Gateway, startGateway } from '../harness/gateway.ts';
import { logInAt } from '../harness/log-in-at.ts';
import type { Served } from '../harness/programs.ts';
import { wholeResponse } from '../harness/providers/scripted-provider.ts';
import { SeededRandom } from '../harness/seeded-random.ts';

const proxyEnvironment = { RATE_LIMIT_REQUESTS_PER_MINUTE: '10000000' };
const steps = inCampaign(15, 30);
const killsMax = inCampaign(1, Number.POSITIVE_INFINITY);
const names = ['team', 'feature', 'stage'];
const words = ['ада', 'b"\\', 'c', 'd,e', '{}', '…other'];

type Names = 'user' | `metadata.${string}`;
interface Group {
  readonly user?: string | null;
  readonly metadata?: Readonly<Record<string, string | null>>;
  readonly requests: number;
  readonly cost: string;
}

let gateway: Gateway;
let proxies: Served[];
beforeAll(async () => {
  gateway = await startGateway({ proxyEnvironment });
  proxies = [gateway.proxy, await gateway.harness.openProxy(proxyEnvironment)];
  gateway.provider.on('upstream-chat', (truth, request) => {
    const promptTokens = 1 + (truth.prompt.length % 50);
    return wholeResponse({ usage: { promptTokens, completionTokens: 3 } })(truth, request);
  });
});
afterAll(() => gateway.stop());

async function send(proxy: Served, { proxyKey }: Customer, body: object, headers: Record<string, string>) {
  const response = await fetch(`${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${proxyKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'test/chat', max_tokens: 10, ...body }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(text);
  return nanoOf(response.headers.get('x-cost-usd') ?? '');
}

const nanoOf = (usd: string) => BigInt(Math.round(Number(usd) * 1e9));

async function ask(url: string, token: string, settings: object): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify(settings);
  const response = await fetch(`${url}/api/organization/dimensions`, { method: 'PUT', headers, body });
  if (!response.ok) throw new Error(await response.text());
}

test.each(inCampaign([11], [11, 12, 13], [12, 13]))(
  'every charge is attributed once to what its request said (seed %p) (campaign)',
  async (seed) => {
    // Changes are made at this admin, which lives.
    const { harness, admin } = gateway;
    const random = new SeededRandom(seed);
    const [customer, silent] = [
      await harness.createCustomer({ usd: '50' }),
      await harness.createCustomer({ usd: '50' }),
    ];
    let mortal = await harness.startAdmin();
    const token = await logInAt(admin.url, customer);
    let asked = { metadata: names.slice(0, 2), user: true };
    await ask(admin.url, token, asked);
    const expected = new Map<Names, Map<string | null, { requests: number; costNano: bigint }>>();
    const all = { requests: 0, costNano: 0n };
    const count = (name: Names, value: string | null, costNano: bigint) => {
      const groups = expected.get(name) ?? new Map<string | null, { requests: number; costNano: bigint }>();
      const sum = groups.get(value) ?? { requests: 0, costNano: 0n };
      expected.set(name, groups.set(value, { requests: sum.requests + 1, costNano: sum.costNano + costNano }));
    };
    let kills = 0;
    for (let step = 0; step < steps; step += 1) {
      if (random.chance(0.15)) {
        asked = { metadata: names.filter(() => random.chance(0.6)), user: random.chance(0.6) };
        await ask(admin.url, token, asked);
      }
      const isKilled = random.chance(0.15) && kills < killsMax;
      if (isKilled) kills += 1;
      const requests = Array.from({ length: random.integer(1, 12) }, async () => {
        const user = random.chance(0.7) ? random.pick(words) : undefined;
        const metadata: Record<string, string> = {};
        for (const name of names) if (random.chance(0.5)) metadata[name] = random.pick(words);
        const messages = [{ role: 'user', content: 'x'.repeat(random.integer(1, 200)) }];
        const headers: Record<string, string> = random.chance(0.2) ? { 'idempotency-key': crypto.randomUUID() } : {};
        const proxy = random.pick(proxies);
        const now = asked;
        await send(proxy, silent, { messages, user, metadata }, headers);
        const costNano = await send(proxy, customer, { messages, user, metadata }, headers);
        all.requests += 1;
        all.costNano += costNano;
        count('user', (now.user ? user : null) ?? null, costNano);
        for (const name of names)
          count(`metadata.${name}`, (now.metadata.includes(name) ? metadata[name] : null) ?? null, costNano);
      });
      if (isKilled) await mortal.kill();
      await Promise.all(requests);
      if (isKilled) mortal = await harness.startAdmin();
    }
    expect(kills).toBeGreaterThan(0);
    const view = await logIn(admin, customer);
    const groupsBy = async (groupBy: string) =>
      (await view.get<{ usage: Group[] }>(`/api/usage?groupBy=${groupBy}`)).usage;
    await waitFor('all to be booked', guardTimeoutMs, async () => {
      const groups = await groupsBy('model');
      return groups.reduce((sum, { requests }) => sum + requests, 0) === all.requests;
    });
    const [total] = await groupsBy('model');
    expect(nanoOf(total?.cost ?? '')).toBe(all.costNano);
    const { metadata, user, former } = await view.get<{ metadata: string[]; user: boolean; former: Names[] }>(
      '/api/organization/dimensions',
    );
    const everAsked: Names[] = [...metadata.map((name): Names => `metadata.${name}`), ...former];
    if (user) everAsked.push('user');
    for (const name of everAsked) {
      const groups = (await groupsBy(name)).map(({ requests, cost, ...value }) => {
        const text = value.metadata === undefined ? (value.user ?? null) : (Object.values(value.metadata)[0] ?? null);
        return [text, { requests, costNano: nanoOf(cost) }] as const;
      });
      expect(new Map(groups)).toEqual(expected.get(name) ?? new Map());
    }
    expect(await violationsAtRest(harness, [customer.accountId, silent.accountId])).toEqual([]);
    const [attributed] = await harness.database.sql`
    SELECT FROM usage_events WHERE account_id = ${silent.accountId} AND dimension_values IS NOT NULL`;
    expect(attributed).toBeUndefined();
  },
);
