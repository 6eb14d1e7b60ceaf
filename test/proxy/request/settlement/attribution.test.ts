/**
 * What a request costs belongs to the project in which its key was when it began, whichever way its money is held: from a
 * lease, reserved with an Idempotency-Key, or running while the key is moved.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { logIn, waitFor } from '../../../harness/account-view.ts';
import { violationsAtRest } from '../../../harness/books.ts';
import type { Customer } from '../../../harness/customers.ts';
import { type Gateway, startGateway } from '../../../harness/gateway.ts';
import { logInAt } from '../../../harness/log-in-at.ts';
import { wholeResponse } from '../../../harness/providers/scripted-provider.ts';
import { SeededRandom } from '../../../harness/seeded-random.ts';

const proxyEnvironment = { RATE_LIMIT_REQUESTS_PER_MINUTE: '10000000' };
const bookedWithinMs = 20_000;
const steps = 24;

let gateway: Gateway;
/** Requests that say so are answered only then. */
let gate: PromiseWithResolvers<void>;
beforeAll(async () => {
  gateway = await startGateway({ proxyEnvironment });
  const answer = wholeResponse({ usage: { promptTokens: 9, completionTokens: 5 } });
  gateway.provider.on('upstream-chat', async (truth, request) => {
    if (truth.prompt === 'wait') await gate.promise;
    return answer(truth, request);
  });
});
afterAll(() => gateway.stop());

async function ask({ proxyKey }: Customer, content: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${gateway.proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${proxyKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'test/chat', max_tokens: 10, messages: [{ role: 'user', content }] }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(text);
}

async function call<Body>(method: string, path: string, token: string, body: object): Promise<Body> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${gateway.admin.url}${path}`, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Body;
}

test.each([1, 2, 3])('each request counts for the project in which it began (seed %p)', async (seed) => {
  gate = Promise.withResolvers();
  const random = new SeededRandom(seed);
  const customer = await gateway.harness.createCustomer({ usd: '10' });
  const token = await logInAt(gateway.admin.url, customer);
  const places: (number | null)[] = [null];
  for (const name of ['Bot', 'Search', 'Tests']) {
    places.push((await call<{ id: number }>('POST', '/api/projects', token, { name })).id);
  }
  const expected = new Map<number | null, number>();
  const waiting: Promise<void>[] = [];
  let place: number | null = null;
  for (let step = 0; step < steps; step += 1) {
    if (random.chance(0.3)) {
      place = random.pick(places);
      await call('PUT', `/api/proxy-keys/${customer.proxyKeyId}`, token, { projectId: place });
    }
    const requests = random.integer(1, 6);
    const sent = Array.from({ length: requests }, () =>
      ask(customer, 'now', random.chance(0.3) ? { 'idempotency-key': crypto.randomUUID() } : {}),
    );
    await Promise.all(sent);
    const before = gateway.provider.requests.length;
    if (random.chance(0.4)) {
      waiting.push(ask(customer, 'wait'));
      await waitFor(
        'it to be with the provider',
        bookedWithinMs,
        async () => gateway.provider.requests.length > before,
      );
    }
    const begun = requests + gateway.provider.requests.length - before;
    expected.set(place, (expected.get(place) ?? 0) + begun);
  }
  gate.resolve();
  await Promise.all(waiting);
  const all = [...expected.values()].reduce((sum, each) => sum + each, 0);
  const view = await logIn(gateway.admin, customer);
  const sums = async (groupBy: string) =>
    (
      await view.get<{ usage: { projectId: number | null; requests: number; cost: string }[] }>(
        `/api/usage?groupBy=${groupBy}`,
      )
    ).usage;
  await waitFor('all to be booked', bookedWithinMs, async () => {
    const groups = await sums('project');
    return groups.reduce((sum, { requests }) => sum + requests, 0) === all;
  });
  const byProject = await sums('project');
  expect(new Map(byProject.map(({ projectId, requests }) => [projectId, requests]))).toEqual(expected);
  const [{ cost = '' } = {}] = await sums('key');
  const parts = byProject.reduce((sum, group) => sum + Math.round(Number(group.cost) * 1e9), 0);
  expect(parts).toBe(Math.round(Number(cost) * 1e9));
  for (const [projectId, requests] of expected) {
    if (projectId === null) continue;
    const listed = await view.get<{ requests: unknown[] }>(`/api/requests?projectId=${projectId}&limit=100`);
    expect(listed.requests).toHaveLength(requests);
  }
  expect(await violationsAtRest(gateway.harness, [customer.accountId])).toEqual([]);
});
