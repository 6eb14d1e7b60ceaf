/**
 * Data policies of organizations and keys: on every replica, for every endpoint, as soon as the call that changes one has
 * returned, and whatever its requests ask for.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { DataPolicySettings } from '../../shared/keys/data-policy.ts';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { violationsAtRest } from '../harness/books.ts';
import type { Customer } from '../harness/customers.ts';
import { type Gateway, startGateway } from '../harness/gateway.ts';
import { logInAt } from '../harness/log-in-at.ts';
import type { Served } from '../harness/programs.ts';
import { wholeResponse } from '../harness/providers/scripted-provider.ts';
import { readLeased } from '../harness/read-metric.ts';

/** By the name of the model at the provider. */
const deployments = {
  german: { name: 'azure', country: 'DE', retentionDays: 0, trains: false },
  american: { name: 'openai', country: 'US', retentionDays: 30, trains: true },
  unknown: { name: 'local' },
} as const;
type Deployment = keyof typeof deployments;

const catalogue = (baseUrl: string) => `
providers:
  - { id: a, publicName: azure, country: DE, retentionDays: 0, trains: false, protocol: openai, baseUrl: "${baseUrl}" }
  - { id: b, publicName: openai, country: US, retentionDays: 30, trains: true, protocol: openai, baseUrl: "${baseUrl}" }
  - { id: c, publicName: local, protocol: openai, baseUrl: "${baseUrl}" }
models:
  - id: test/spread
    kind: chat
    ownedBy: test
    contextTokens: 1000000
    maxOutputTokens: 100
    price: { prompt: "0.01", completion: "0.01" }
    deployments: [{ provider: a, model: german }, { provider: b, model: american }, { provider: c, model: unknown }]
  - id: test/abroad
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 100
    price: { prompt: "0.01", completion: "0.01" }
    deployments: [{ provider: b, model: american }]
`;

let gateway: Gateway;
let proxies: readonly Served[];
let customer: Customer;
let session: string;
beforeAll(async () => {
  const proxyEnvironment = { EXPOSE_DEPLOYMENTS: 'true' };
  gateway = await startGateway({ catalogue, proxyEnvironment });
  const others = await Promise.all([1, 2].map(() => gateway.harness.openProxy(proxyEnvironment)));
  proxies = [gateway.proxy, ...others];
  const answers = wholeResponse({ usage: { promptTokens: 9, completionTokens: 5 } });
  for (const model of Object.keys(deployments)) gateway.provider.on(model, answers);
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  customer = await gateway.harness.createCustomer({ usd: '5' });
  session = await logInAt(gateway.admin.url, customer);
});

async function change(path: string, body: object, authorization: string): Promise<void> {
  const response = await fetch(`${gateway.admin.url}${path}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${authorization}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
}

const free: DataPolicySettings = { dataCollection: 'allow', zdr: false, countries: [], only: [], ignore: [] };
const limitKey = (policy: Partial<DataPolicySettings>) =>
  change(`/api/keys/${customer.proxyKeyId}`, { dataPolicy: { ...free, ...policy } }, customer.billingKey);
const limitOrganization = (policy: Partial<DataPolicySettings>) =>
  change('/api/organization/data-policy', { ...free, ...policy }, session);

const hello = { model: 'test/spread', max_tokens: 10, messages: [{ role: 'user', content: 'Hello?' }] };

async function ask(proxy: Served, body: object = hello, path = 'chat/completions') {
  const response = await fetch(`${proxy.url}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.proxyKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { error?: { code: string; message: string; param: string | null } };
  const served = response.headers.get('x-gateway-deployment')?.split('/').at(-1);
  return { status: response.status, outcome: served ?? answer.error?.code ?? '', error: answer.error };
}

describe('a policy of the key, or of its organization', () => {
  test.each([
    ['key', limitKey],
    ['organization', limitOrganization],
  ] as const)('of the %s is in force on every replica when the call returns, and so is its end', async (_, limit) => {
    for (const proxy of proxies) expect((await ask(proxy)).status).toBe(200);
    await limit({ countries: ['US'] });
    for (const proxy of proxies) expect((await ask(proxy)).outcome).toBe('american');
    await limit({ dataCollection: 'deny' });
    for (const proxy of proxies) expect((await ask(proxy)).outcome).toBe('german');
    await limit({ countries: ['KZ'] });
    for (const proxy of proxies) expect((await ask(proxy)).outcome).toBe('no_deployment_fits');
    // A replica that has just refused by the policy before.
    await limit({ countries: ['DE', 'KZ'] });
    for (const proxy of proxies) expect((await ask(proxy)).outcome).toBe('german');
    await limit({});
    for (const proxy of proxies) {
      const wanted = { ...hello, provider: { only: ['local'] } };
      expect((await ask(proxy, wanted)).outcome).toBe('unknown');
    }
    expect(await violationsAtRest(gateway.harness, [customer.accountId])).toEqual([]);
  });

  test('both apply, and so do demands of the request: the strictest wins', async () => {
    const settings: fc.Arbitrary<Partial<DataPolicySettings>> = fc.record(
      {
        dataCollection: fc.constantFrom('allow', 'deny'),
        zdr: fc.boolean(),
        countries: fc.subarray(['DE', 'US', 'RU']),
        only: fc.subarray(['azure', 'openai', 'local']),
        ignore: fc.constantFrom([], ['openai']),
      },
      { requiredKeys: [] },
    );
    const meets = (deployment: Deployment, policy: Partial<DataPolicySettings>): boolean => {
      const { name, country, retentionDays, trains } = { ...nothing, ...deployments[deployment] };
      return (
        (policy.dataCollection !== 'deny' || trains === false) &&
        (!policy.zdr || retentionDays === 0) &&
        (!policy.countries?.length || (country !== undefined && policy.countries.includes(country))) &&
        (!policy.only?.length || policy.only.includes(name)) &&
        !policy.ignore?.includes(name)
      );
    };
    const nothing = { country: undefined, retentionDays: undefined, trains: undefined };
    // A name in both lists is refused when it is saved.
    const valid = settings.filter(({ only, ignore }) => !only?.some((name) => ignore?.includes(name)));
    await fc.assert(
      fc.asyncProperty(valid, valid, valid, async (organization, key, request) => {
        await limitOrganization(organization);
        await limitKey(key);
        const { dataCollection: data_collection, countries, ...rest } = request;
        const demands = { ...rest, ...(data_collection && { data_collection }) };
        const provider = countries?.length ? { ...demands, country: countries } : demands;
        const [proxy = gateway.proxy] = proxies;
        const { outcome, error } = await ask(proxy, { ...hello, provider });
        const allowed = (Object.keys(deployments) as Deployment[]).filter((deployment) =>
          [organization, key, request].every((policy) => meets(deployment, policy)),
        );
        if (allowed.length > 0) expect(allowed).toContain(outcome as Deployment);
        else {
          expect(outcome).toBe('no_deployment_fits');
          const isByRequest = error?.message.includes('(request)') ?? false;
          expect(error?.param).toBe(isByRequest ? 'provider' : null);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('excludes a model of several without any provider that meets it', async () => {
    await limitOrganization({ zdr: true });
    const body = { ...hello, model: 'test/abroad', models: ['test/spread'] };
    expect((await ask(gateway.proxy, body)).outcome).toBe('german');
    const refused = await ask(gateway.proxy, { ...hello, model: 'test/abroad' });
    expect(refused.error).toMatchObject({
      code: 'no_deployment_fits',
      message: "No provider of 'test/abroad' fits: zdr=true (organization) excludes openai.",
      param: null,
    });
  });

  test.each([
    ['messages', { model: 'test/spread', max_tokens: 10, messages: hello.messages }],
    ['responses', { model: 'test/spread', max_output_tokens: 16, input: 'Hello?' }],
    ['chat/completions', { ...hello, messages: [{ role: 'user', content: 'word '.repeat(100_000) }] }],
    ['quote', hello],
  ])('applies to POST /v1/%s, also of a replica that has not heard of a change yet', async (path, body) => {
    for (const proxy of proxies) expect((await ask(proxy, hello)).status).toBe(200);
    await limitKey({ countries: ['KZ'] });
    const before = gateway.provider.requests.length;
    for (const proxy of proxies) expect((await ask(proxy, body, path)).status).toBe(404);
    expect(gateway.provider.requests.length).toBe(before);
    await limitKey({ countries: ['DE'] });
    for (const proxy of proxies) {
      const { status, outcome } = await ask(proxy, body, path);
      expect(status).toBe(200);
      if (path !== 'quote') expect(outcome).toBe('german');
    }
    expect(await violationsAtRest(gateway.harness, [customer.accountId])).toEqual([]);
  });
});

test('busy proxies with leases send nothing elsewhere once the call has returned', async () => {
  const [first = gateway.proxy] = proxies;
  const before = await readLeased(first);
  await waitFor('a lease', guardTimeoutMs, async () => {
    await ask(first);
    return (await readLeased(first)) > before;
  });
  let isOver = false;
  let returnedAt = Number.POSITIVE_INFINITY;
  const late: string[] = [];
  const hammer = async (proxy: Served) => {
    while (!isOver) {
      const begunAt = performance.now();
      const { outcome, status } = await ask(proxy);
      expect(status).toBe(200);
      if (begunAt > returnedAt && outcome !== 'german') late.push(outcome);
    }
  };
  const hammers = proxies.flatMap((proxy) => [hammer(proxy), hammer(proxy)]);
  await Bun.sleep(300);
  await limitOrganization({ zdr: true });
  returnedAt = performance.now();
  await Bun.sleep(700);
  isOver = true;
  await Promise.all(hammers);
  expect(late).toEqual([]);
  expect(await violationsAtRest(gateway.harness, [customer.accountId])).toEqual([]);
});
