/** The main job on each Redis topology, and what happens when its master changes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { shardOfAccount } from '../../shared/wallet/shard.ts';
import { guardTimeoutMs, logIn, readLedger, waitFor } from '../harness/account-view.ts';
import { violationsAtRest } from '../harness/books.ts';
import { inCampaign } from '../harness/campaigns.ts';
import { chat, errorCodeOf } from '../harness/clients/chat.ts';
import type { Customer } from '../harness/customers.ts';
import type { Served } from '../harness/programs.ts';
import {
  type ScriptedProvider,
  startScriptedProvider,
  streamedResponse,
  wholeResponse,
} from '../harness/providers/scripted-provider.ts';
import { testCatalogue } from '../harness/providers/test-catalogue.ts';
import { startBeside } from '../harness/redis/start-beside.ts';
import { type TopologyKind, topologyKinds } from '../harness/redis/topology.ts';
import { type Harness, startHarness } from '../harness.ts';

/** A free prompt and 100 output tokens at 10 micro-dollars: the hold and the cost are both $0.001. */
const request = { model: 'test/priced-output', max_tokens: 100 };
const costNano = 1_000_000n;
const atTheCap = { usage: { promptTokens: 5, completionTokens: 100 } };
/** A Sentinel that was kept from working for two seconds, as on a busy machine, does nothing for thirty (TILT). */
const recoveryTimeoutMs = 120_000;

/** Every other test runs on a Redis that stands alone. */
const kinds = inCampaign<readonly TopologyKind[]>(
  topologyKinds.filter((kind) => kind !== 'standalone'),
  topologyKinds,
  ['standalone'],
);

const gateways = startBeside(kinds, async (topology) => {
  const harness = await startHarness({ topology });
  const provider = startScriptedProvider();
  await harness.applyCatalogue(testCatalogue(provider.baseUrl));
  const admin = await harness.openAdmin();
  const proxies = await Promise.all([harness.openProxy(), harness.openProxy()]);
  return { harness, provider, admin, proxies };
});

describe.each(gateways)('the gateway on a Redis topology of kind %s (campaign)', (_kind, started) => {
  let harness: Harness;
  let provider: ScriptedProvider;
  let admin: Served;
  let proxies: Served[];

  beforeAll(async () => {
    ({ harness, provider, admin, proxies } = await started);
  });

  afterAll(async () => {
    await provider.stop();
    await harness.stop();
  });

  const ask = (customer: Customer, index = 0) => chat(proxies[index % 2], customer.proxyKey, request);
  const holdsKey = ({ accountId }: Customer) => `{s${shardOfAccount(accountId)}}:holds`;
  const spent = async ({ accountId }: Customer) => (await readLedger(harness, accountId)).spentNano;
  const violations = ({ accountId }: Customer) => violationsAtRest(harness, [accountId]);
  const served = (customer: Customer) => async () => {
    const responses = await Promise.all([ask(customer, 0), ask(customer, 1)]);
    return responses.every(({ status }) => status === 200);
  };

  test('books a paid completion in the ledger', async () => {
    const customer = await harness.createCustomer({ usd: '1' });
    provider.on('upstream-priced', wholeResponse(atTheCap));
    expect((await ask(customer)).status).toBe(200);
    await waitFor('the charge', guardTimeoutMs, async () => (await spent(customer)) === costNano);
    const account = await logIn(admin, customer);
    expect(await account.balanceAtRest()).toMatchObject({ balance: 0.999, available: 0.999 });
    expect((await account.transactions()).filter(({ type }) => type === 'usage')).toMatchObject([{ amount: -0.001 }]);
  });

  test('pays for exactly ten of 200 concurrent requests over two proxies from a balance for ten', async () => {
    const customer = await harness.createCustomer({ usd: '0.01' });
    provider.on('upstream-priced', wholeResponse({ ...atTheCap, delayMs: 100 }));
    const responses = await Promise.all(Array.from({ length: 200 }, (_, index) => ask(customer, index)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(responses.filter(({ status }) => status === 403)).toHaveLength(190);
    expect(await violations(customer)).toEqual([]);
    expect((await readLedger(harness, customer.accountId)).balanceNano).toBe(0n);
  });

  test('makes every proxy refuse a deactivated key immediately', async () => {
    const customer = await harness.createCustomer({ usd: '1' });
    provider.on('upstream-priced', wholeResponse(atTheCap));
    expect((await ask(customer)).status).toBe(200);
    const changed = await fetch(`${admin.url}/api/keys/${customer.proxyKeyId}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${customer.billingKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ active: false }),
    });
    expect(changed.status).toBe(200);
    const refused = await Promise.all([ask(customer, 0), ask(customer, 1)]);
    expect(await Promise.all(refused.map(errorCodeOf))).toEqual(['key_deactivated', 'key_deactivated']);
  });

  test('needs no restart for a planned change of masters under load, and the books agree', async () => {
    const customer = await harness.createCustomer({ usd: '10' });
    provider.on('upstream-priced', wholeResponse({ ...atTheCap, delayMs: 5 }));
    let isLoading = true;
    const statuses: number[] = [];
    const load = Promise.all(
      proxies.map(async (_, index) => {
        while (isLoading) {
          const response = await ask(customer, index);
          statuses.push(response.status);
          if (response.status === 503) expect(response.headers.get('retry-after')).not.toBeNull();
          await response.text();
        }
      }),
    );
    await waitFor('load', guardTimeoutMs, async () => statuses.length > 20);
    await harness.topology.failover(holdsKey(customer));
    await waitFor('service', recoveryTimeoutMs, served(customer));
    isLoading = false;
    await load;
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(statuses).toContain(200);
    await waitFor('both programs to be ready', guardTimeoutMs, () => allReady([admin, ...proxies]));
    expect(await violations(customer)).toEqual([]);
  });

  test('charges streams after a master is killed, soon returns 503 for new requests, then resumes', async () => {
    const customer = await harness.createCustomer({ usd: '10' });
    provider.on('upstream-priced', wholeResponse(atTheCap));
    // Its shard may still be recovering from the previous change of masters.
    await waitFor('service', recoveryTimeoutMs, served(customer));
    provider.on('upstream-priced', streamedResponse({ tokens: 100, delayMs: 10 }));
    const running = await Promise.all(
      proxies.map((proxy) => chat(proxy, customer.proxyKey, { ...request, stream: true })),
    );
    // From here on nothing is written that the new master would need.
    await harness.topology.replicated();
    await harness.topology.killMaster(holdsKey(customer));

    provider.on('upstream-priced', wholeResponse(atTheCap));
    // At first, a lease may still cover it.
    const refused = await waitFor('a refusal', guardTimeoutMs, async () => {
      const response = await ask(customer);
      return response.status !== 200 && response;
    });
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    for (const stream of running) expect(await stream.text()).toEndWith('data: [DONE]\n\n');

    await waitFor('service', recoveryTimeoutMs, served(customer));
    await waitFor('both programs to be ready', guardTimeoutMs, () => allReady([admin, ...proxies]));
    expect(await violations(customer)).toEqual([]);
    const after = await spent(customer);
    expect(after % costNano).toBe(0n);
    // What was served so far may have been from leases, before the shard was open again.
    await waitFor('the next response', recoveryTimeoutMs, async () => (await ask(customer)).status === 200);
    await waitFor('the next charge', guardTimeoutMs, async () => (await spent(customer)) === after + costNano);
  });
});

async function allReady(programs: readonly Served[]): Promise<boolean> {
  const responses = await Promise.all(programs.map(({ url }) => fetch(`${url}/readyz`)));
  return responses.every(({ ok }) => ok);
}
