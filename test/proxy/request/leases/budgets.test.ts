/**
 * What a customer sees at the end of a budget: of requests at once over several proxies and keys, with leases and without, exactly
 * as many succeed as the smallest budget that applies covers.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { budgetLevels } from '../../../../shared/limits/budget-levels.ts';
import { formatUsd, nanoUsd } from '../../../../shared/money.ts';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { spentAtRest, violationsAtRest } from '../../../harness/books.ts';
import { inCampaign } from '../../../harness/campaigns.ts';
import { chat } from '../../../harness/clients/chat.ts';
import type { Customer } from '../../../harness/customers.ts';
import { type Gateway, startProxyProgram } from '../../../harness/gateway.ts';
import { logInAt } from '../../../harness/log-in-at.ts';
import type { Served } from '../../../harness/programs.ts';
import { streamedResponse, wholeResponse } from '../../../harness/providers/scripted-provider.ts';
import { readLeased } from '../../../harness/read-metric.ts';

const tokens = 10;
/** Of a request with so many output tokens, which are also the most that it may have. */
const costNano = 100_000n;
const usdOf = (requests: number) => formatUsd(nanoUsd(BigInt(requests) * costNano));

let gateway: Gateway;
let proxies: Served[];
beforeAll(async () => {
  gateway = await startProxyProgram();
  const { harness } = gateway;
  proxies = [gateway.proxy, ...(await Promise.all([harness.startProxy(), harness.startProxy()]))];
});
beforeEach(() => {
  gateway.provider.on('upstream-priced', wholeResponse({ usage: { promptTokens: 9, completionTokens: tokens } }));
});
afterAll(() => gateway.stop());

interface Organization extends Customer {
  readonly token: string;
  readonly projectId: number;
  /** Two in the project, of the owner, and one that only belongs to the organization. */
  readonly keys: readonly { readonly id: number; readonly key: string }[];
}

async function call<Body>(method: string, path: string, token: string, body?: object): Promise<Body> {
  const response = await fetch(`${gateway.admin.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (response.status === 204 ? undefined : await response.json()) as Body;
}

async function openOrganization(): Promise<Organization> {
  const customer = await gateway.harness.createCustomer({ usd: '10' });
  const token = await logInAt(gateway.admin.url, customer);
  const { id: projectId } = await call<{ id: number }>('POST', '/api/projects', token, { name: 'Bot' });
  const create = (body: object) => call<{ id: number; key: string }>('POST', '/api/proxy-keys', token, body);
  const keys = [
    await create({ name: 'one', projectId }),
    await create({ name: 'two', projectId }),
    { id: customer.proxyKeyId, key: customer.proxyKey },
  ];
  return { ...customer, token, projectId, keys };
}

const scopeIds = ({ projectId, userId, keys }: Organization): Readonly<Record<string, number | undefined>> => ({
  project: projectId,
  member: userId,
  key: keys[0]?.id,
  organization: undefined,
});

async function ask(proxy: Served | undefined, key: string) {
  const response = await chat(proxy, key, { model: 'test/priced-output', max_tokens: tokens });
  const body = (await response.json()) as { error?: { code: string; message: string } };
  return { status: response.status, retryAfter: response.headers.get('retry-after'), error: body.error };
}

const refusals = ['budget_exceeded', 'key_limit_exceeded'];
const covered = inCampaign([70], [1, 30, 70, 150, 200]);

describe.each(budgetLevels.map(({ name }) => name))('a budget of the %s', (level) => {
  test.each(covered)(
    'for %d requests covers so many, over three proxies and the keys that it is about (campaign)',
    async (most) => {
      const organization = await openOrganization();
      const { token, keys, accountId } = organization;
      const scopeId = scopeIds(organization)[level];
      const budget = { scope: level, period: 'day', amount: usdOf(most), ...(scopeId !== undefined && { scopeId }) };
      await call('POST', '/api/budgets', token, budget);
      // Wider ones do not matter.
      for (const [scope, id] of Object.entries(scopeIds(organization))) {
        const wide = { scope, period: 'month', amount: usdOf(most + 50), ...(id !== undefined && { scopeId: id }) };
        await call('POST', '/api/budgets', token, wide);
      }
      const within = level === 'organization' ? keys : level === 'key' ? keys.slice(0, 1) : keys.slice(0, 2);
      let succeeded = 0;
      const askNext = async (index: number) => {
        const result = await ask(proxies[index % proxies.length], within[index % within.length]?.key ?? '');
        if (result.status === 200) succeeded += 1;
        return result;
      };
      const outcomes = await Promise.all(Array.from({ length: 3 * most + 20 }, (_, index) => askNext(index)));
      const codes = new Set(outcomes.flatMap(({ error }) => error?.code ?? []));
      expect([...codes].filter((code) => !refusals.includes(code))).toEqual([]);
      expect(succeeded).toBeLessThanOrEqual(most);
      // What leases have goes back; none of it is lost.
      let index = 0;
      const last = await waitFor('the budget to be used up', guardTimeoutMs, async () => {
        index += 1;
        const result = await askNext(index);
        return succeeded === most && result.status !== 200 && result;
      });
      expect(last.error?.code).toBe(level === 'key' ? 'key_limit_exceeded' : 'budget_exceeded');
      expect(last.error?.message).toMatch(/\$0 (of \$|more today)/);
      expect(Number(last.retryAfter)).toBeGreaterThan(0);
      expect(succeeded).toBe(most);
      expect(await violationsAtRest(gateway.harness, [accountId])).toEqual([]);
      const { budgets } = await call<{ budgets: { period: string; spentUsd: string; scope: string }[] }>(
        'GET',
        '/api/budgets',
        token,
      );
      expect(budgets.find(({ scope, period }) => scope === level && period === 'day')?.spentUsd).toBe(usdOf(most));
    },
  );
});

const ofLevels = inCampaign(
  ['project'] as const,
  budgetLevels.map(({ name }) => name),
);
/** From a lease, and held alone, as the first request of a key is. */
const cases = ofLevels.flatMap((level) =>
  [true, false].flatMap((stream) => [true, false].map((leased) => ({ level, stream, leased }))),
);

test.each(cases)('what a provider writes beyond its cap is charged up to the budget: %o (campaign)', async (how) => {
  const { level, stream, leased } = how;
  const [budgetTokens, writtenTokens] = [10_000, 12_000];
  const { harness, provider } = gateway;
  const proxy = proxies[0];
  const organization = await openOrganization();
  const { token, keys, accountId } = organization;
  const key = keys[0]?.key ?? '';
  const scopeId = scopeIds(organization)[level];
  const amount = usdOf(budgetTokens / tokens);
  await call('POST', '/api/budgets', token, { scope: level, period: 'total', amount, ...(scopeId && { scopeId }) });
  const before = await readLeased(gateway.proxy);
  const isBegunFromLease = async () => {
    expect((await ask(proxy, key)).status).toBe(200);
    return (await readLeased(gateway.proxy)) > before;
  };
  if (leased) await waitFor('a lease', guardTimeoutMs, isBegunFromLease);
  provider.on(
    'upstream-priced',
    stream
      ? streamedResponse({ tokens: writtenTokens, promptTokens: 9 })
      : wholeResponse({ usage: { promptTokens: 9, completionTokens: writtenTokens } }),
  );
  const body = { model: 'test/priced-output', max_tokens: tokens, stream };
  const leasedBefore = await readLeased(gateway.proxy);
  const response = await chat(proxy, key, body);
  expect(response.status).toBe(200);
  expect((await readLeased(gateway.proxy)) - leasedBefore).toBe(leased ? 1 : 0);
  const text = await response.text();
  if (stream) expect(text).toContain('"finish_reason":"length"');
  const spentNano = await spentAtRest(harness, accountId);
  const amountNano = BigInt(budgetTokens / tokens) * costNano;
  expect(spentNano).toBeLessThanOrEqual(amountNano);
  // A stream is raised by a quarter at a time; of a whole response, leases may have a part.
  expect(spentNano).toBeGreaterThan(stream ? amountNano / 2n : amountNano - amountNano / 64n);
  const { budgets } = await call<{ budgets: { spentUsd: string; reservedUsd: string }[] }>(
    'GET',
    '/api/budgets',
    token,
  );
  expect(budgets).toMatchObject([{ spentUsd: formatUsd(nanoUsd(spentNano)), reservedUsd: '0' }]);
  expect(await violationsAtRest(harness, [accountId])).toEqual([]);
});

test('rotating a key or moving it resets no counter, and each place has its own', async () => {
  const { token, keys, projectId } = await openOrganization();
  const [first] = keys;
  if (first === undefined) throw new Error('no key');
  const proxy = proxies[0];
  await call('POST', '/api/budgets', token, {
    scope: 'project',
    scopeId: projectId,
    period: 'total',
    amount: usdOf(2),
  });
  expect((await ask(proxy, first.key)).status).toBe(200);
  const rotated = await call<{ id: number; key: string }>('POST', `/api/proxy-keys/${first.id}/rotate`, token, {});
  expect((await ask(proxy, rotated.key)).status).toBe(200);
  expect((await ask(proxy, rotated.key)).error?.code).toBe('budget_exceeded');
  const { id: otherId } = await call<{ id: number }>('POST', '/api/projects', token, { name: 'Other' });
  await call('POST', '/api/budgets', token, { scope: 'project', scopeId: otherId, period: 'total', amount: usdOf(1) });
  await call('PUT', `/api/proxy-keys/${rotated.id}`, token, { projectId: otherId });
  expect((await ask(proxy, rotated.key)).status).toBe(200);
  expect((await ask(proxy, rotated.key)).error?.code).toBe('budget_exceeded');
  await call('PUT', `/api/proxy-keys/${rotated.id}`, token, { projectId });
  expect((await ask(proxy, rotated.key)).error?.code).toBe('budget_exceeded');
  await call('PUT', `/api/budgets/project-${projectId}-total`, token, { amount: usdOf(3) });
  expect((await ask(proxy, rotated.key)).status).toBe(200);
  expect((await ask(proxy, rotated.key)).error?.code).toBe('budget_exceeded');
  await call('DELETE', `/api/budgets/project-${projectId}-total`, token);
  expect((await ask(proxy, rotated.key)).status).toBe(200);
});
