/** A model is served until the day on which it retires begins, in UTC. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Customer } from '../../../harness/customers.ts';
import { type Gateway, startGateway } from '../../../harness/gateway.ts';
import { wholeResponse } from '../../../harness/providers/scripted-provider.ts';

const dayMs = 86_400_000;
const dayIn = (days: number) => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10);
// A day of distance on both sides, so that midnight may pass during the test.
const retired = { id: 'test/retired', day: dayIn(-1) };
const retiring = { id: 'test/retiring', day: dayIn(2) };

let gateway: Gateway;
let customer: Customer;
beforeAll(async () => {
  gateway = await startGateway({
    catalogue: (baseUrl) => `
providers:
  - { id: scripted, protocol: openai, baseUrl: "${baseUrl}" }
models:
${[retired, retiring, { id: 'test/lasting', day: undefined }].map(modelOf).join('')}`,
  });
  gateway.provider.on(
    'upstream-chat',
    wholeResponse({ content: 'Hi', usage: { promptTokens: 9, completionTokens: 5 } }),
  );
  customer = await gateway.harness.createCustomer({ usd: '5' });
});
afterAll(() => gateway.stop());

const modelOf = ({ id, day }: { id: string; day: string | undefined }) => `
  - { id: ${id}, kind: chat, ownedBy: test, contextTokens: 100000, maxOutputTokens: 1000,${day === undefined ? '' : ` retiresAt: "${day}",`}
      price: { prompt: "1", completion: "2" }, deployments: [{ provider: scripted, model: upstream-chat }] }`;

async function send(path: string, body: object) {
  const response = await fetch(`${gateway.proxy.url}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.proxyKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const messages = [{ role: 'user', content: 'Hello' }];
const gone = (param: string) => ({
  status: 404,
  body: {
    error: {
      message: `The model '${retired.id}' was retired on ${retired.day}. GET /v1/models lists all models.`,
      type: 'invalid_request_error',
      code: 'model_not_found',
      param,
    },
  },
});

describe('a model that has retired', () => {
  test.each([
    ['chat/completions', { messages }],
    ['responses', { input: 'Hello' }],
    ['quote', { messages }],
  ])('is refused by /v1/%s', async (path, body) => {
    expect(await send(path, { model: retired.id, ...body })).toMatchObject(gone('model'));
  });

  test('is refused where every model of a list has retired', async () => {
    const body = { model: retired.id, models: [retired.id], messages };
    expect(await send('chat/completions', body)).toMatchObject(gone('model'));
  });

  test.each([
    ['as the first', { model: retired.id, models: ['test/lasting'] }],
    ['as the last', { model: 'test/lasting', models: [retired.id] }],
  ])('is left out of a list of models, %s', async (_, body) => {
    const { status, body: completion } = await send('chat/completions', { ...body, messages });
    expect([status, completion.model]).toEqual([200, 'test/lasting']);
  });

  test('is neither listed nor found', async () => {
    const get = (path: string) =>
      fetch(`${gateway.proxy.url}${path}`, { headers: { authorization: `Bearer ${customer.proxyKey}` } });
    const { data } = (await (await get('/v1/models')).json()) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual([retiring.id, 'test/lasting']);
    expect((await get(`/v1/models/${retired.id}`)).status).toBe(404);
    expect((await get(`/v1/models/${retiring.id}`)).status).toBe(200);
  });
});

test('a model is served until its day', async () => {
  expect((await send('chat/completions', { model: retiring.id, messages })).status).toBe(200);
});
