/** What the proxy refuses, each with its status, its code, the parameter at fault, and a request id. */
import { afterAll, describe, expect, test } from 'bun:test';
import { generateKey } from '../../shared/keys/api-key.ts';
import { allShards } from '../../shared/wallet/shard.ts';
import { spentAtRest } from '../harness/books.ts';
import { chat } from '../harness/clients/chat.ts';
import { startGateway } from '../harness/gateway.ts';
import { wholeResponse } from '../harness/providers/scripted-provider.ts';

const bodyMaxBytes = 10_000;

const { harness, provider, admin, proxy, stop } = await startGateway({
  proxyEnvironment: { MAX_BODY_BYTES: String(bodyMaxBytes) },
});
const customer = await harness.createCustomer({ usd: '5' });
provider.on('upstream-chat', wholeResponse({ usage: { promptTokens: 1, completionTokens: 1 } }));
/** 0.60 + 1.80 USD per million tokens. */
const costNano = 2_400n;

afterAll(stop);

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly param?: string;
}

async function expectRefusal(response: Response, { status, code, param }: Refusal): Promise<void> {
  const body = (await response.json()) as { error: Record<string, unknown> };
  expect({ status: response.status, code: body.error.code, param: body.error.param }).toEqual({
    status,
    code,
    param: param ?? null,
  });
  expect(Object.keys(body)).toEqual(['error']);
  expect(Object.keys(body.error).sort()).toEqual(['code', 'message', 'param', 'type']);
  expect(body.error.message).toBeString();
  expect(body.error.type).toBeString();
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
}

function post(body: string | ReadableStream, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.proxyKey}`, ...headers },
    body,
  });
}

describe('keys', () => {
  const withKey = (authorization: string | undefined) =>
    fetch(`${proxy.url}/v1/chat/completions`, {
      method: 'POST',
      headers: authorization === undefined ? {} : { authorization },
      body: JSON.stringify({ model: 'test/chat', messages: [{ role: 'user', content: 'x' }] }),
    });
  const unauthorized = { status: 401, code: 'invalid_api_key' };

  test('a missing key returns 401', async () =>
    expectRefusal(await withKey(undefined), { status: 401, code: 'missing_api_key' }));

  test('a key with a wrong checksum returns 401', async () => {
    const mistyped = `${customer.proxyKey.slice(0, -1)}${customer.proxyKey.endsWith('A') ? 'B' : 'A'}`;
    await expectRefusal(await withKey(`Bearer ${mistyped}`), unauthorized);
    await expectRefusal(await withKey('Bearer nonsense'), unauthorized);
    await expectRefusal(await withKey(`Basic ${customer.proxyKey}`), unauthorized);
  });

  test('a well-formed key that does not exist returns 401, in every shard', async () => {
    for (const shard of allShards) {
      const refused = await withKey(`Bearer ${generateKey('proxy', shard)}`);
      expect(refused.status).toBe(401);
    }
  });

  test('a billing key returns 403', async () =>
    expectRefusal(await withKey(`Bearer ${customer.billingKey}`), { status: 403, code: 'wrong_key_type' }));

  test('a key returns 403 once deactivated, works once activated, and returns 401 once deleted', async () => {
    const keys = (method: string, path: string, body?: object) =>
      fetch(`${admin.url}/api/keys${path}`, {
        method,
        headers: { authorization: `Bearer ${customer.billingKey}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const created = (await (await keys('POST', '', { name: 'short life' })).json()) as { id: number; key: string };
    const use = () => withKey(`Bearer ${created.key}`);
    expect((await use()).status).toBe(200);
    expect((await keys('PUT', `/${created.id}`, { active: false })).status).toBe(200);
    await expectRefusal(await use(), { status: 403, code: 'key_deactivated' });
    expect((await keys('PUT', `/${created.id}`, { active: true })).status).toBe(200);
    expect((await use()).status).toBe(200);
    expect((await keys('DELETE', `/${created.id}`)).status).toBe(204);
    await expectRefusal(await use(), unauthorized);
  });

  test('a key past its expires_at returns 401', async () => {
    const key = await harness.createExpiredKey(customer.accountId);
    await expectRefusal(await withKey(`Bearer ${key}`), { status: 401, code: 'key_expired' });
  });
});

describe('a request body', () => {
  const badJson = { status: 400, code: 'invalid_json' };

  test('a request body of broken JSON returns 400', async () => {
    await expectRefusal(await post('{"model":'), badJson);
    await expectRefusal(await post(''), badJson);
    await expectRefusal(await post('[]'), badJson);
    await expectRefusal(await post('"text"'), badJson);
  });

  test('a request body over the limit returns 413, announced or not', async () => {
    const tooLarge = { status: 413, code: 'body_too_large' };
    const large = JSON.stringify({
      model: 'test/chat',
      messages: [{ role: 'user', content: 'x'.repeat(bodyMaxBytes) }],
    });
    await expectRefusal(await post(large), tooLarge);
    await expectRefusal(await post(new Blob([large]).stream()), tooLarge);
  });

  const messages = [{ role: 'user', content: 'x' }];
  const cases: [param: string, body: object, code?: string][] = [
    ['model', { messages }, 'missing_parameter'],
    ['messages', { model: 'test/chat' }, 'missing_parameter'],
    ['model', { model: 7, messages }],
    ['messages', { model: 'test/chat', messages: [] }],
    ['messages', { model: 'test/chat', messages: 'x' }],
    ['messages[0].role', { model: 'test/chat', messages: [{ role: 'robot', content: 'x' }] }],
    ['messages[0].role', { model: 'test/chat', messages: [{ content: 'x' }] }, 'missing_parameter'],
    ['messages[1].content', { model: 'test/chat', messages: [...messages, { role: 'user', content: 5 }] }],
    ['temperature', { model: 'test/chat', messages, temperature: 2.1 }],
    ['temperature', { model: 'test/chat', messages, temperature: '1' }],
    ['top_p', { model: 'test/chat', messages, top_p: -0.1 }],
    ['frequency_penalty', { model: 'test/chat', messages, frequency_penalty: 2.01 }],
    ['presence_penalty', { model: 'test/chat', messages, presence_penalty: -2.01 }],
    ['max_tokens', { model: 'test/chat', messages, max_tokens: 0 }],
    ['max_tokens', { model: 'test/chat', messages, max_tokens: 1.5 }],
    ['max_completion_tokens', { model: 'test/chat', messages, max_completion_tokens: -1 }],
    ['n', { model: 'test/chat', messages, n: 0 }],
    ['stream', { model: 'test/chat', messages, stream: 'yes' }],
    ['stop', { model: 'test/chat', messages, stop: ['1', '2', '3', '4', '5'] }],
    ['stream_options', { model: 'test/chat', messages, stream_options: 1 }],
  ];
  for (const [param, body, code = 'invalid_parameter'] of cases) {
    test(`${JSON.stringify(body).slice(0, 75)} returns 400 that names ${param}`, async () =>
      expectRefusal(await post(JSON.stringify(body)), { status: 400, code, param }));
  }

  test('a request body at the limits is accepted', async () => {
    const accepted = await chat(proxy, customer.proxyKey, {
      model: 'test/chat',
      temperature: 2,
      top_p: 0,
      frequency_penalty: -2,
      presence_penalty: 2,
      stop: ['1', '2', '3', '4'],
      max_tokens: 1,
      n: 1,
      seed: null,
      tools: null,
    });
    expect(accepted.status).toBe(200);
  });
});

test('an unknown model returns 404, and so does an unknown path', async () => {
  await expectRefusal(await chat(proxy, customer.proxyKey, { model: 'test/none' }), {
    status: 404,
    code: 'model_not_found',
    param: 'model',
  });
  await expectRefusal(await fetch(`${proxy.url}/v1/models/test/none`), {
    status: 404,
    code: 'model_not_found',
    param: 'model',
  });
  await expectRefusal(await fetch(`${proxy.url}/v1/nothing`), { status: 404, code: 'not_found' });
});

test('the root path names the API and its documents', async () => {
  const response = await fetch(proxy.url);
  expect(response.status).toBe(200);
  expect(response.headers.get('x-request-id')).toBeTruthy();
  const { name, openapi, models } = (await response.json()) as { name: string; openapi: string; models: string };
  expect(name).toBe('Model gateway: inference API');
  for (const path of [openapi, models]) expect((await fetch(`${proxy.url}${path}`)).status).toBe(200);
});

test.each(['%zz', '%E0%A4%A', '%', '__proto__'])('a model that is called %s is refused with 404', async (id) =>
  expectRefusal(await fetch(`${proxy.url}/v1/models/${id}`), {
    status: 404,
    code: 'model_not_found',
    param: 'model',
  }),
);

test.each([
  ['GET', '/v1/chat/completions', 'POST'],
  ['DELETE', '/v1/messages', 'POST'],
  ['POST', '/v1/models', 'GET'],
  ['DELETE', '/v1/models/test/chat', 'GET'],
  ['PUT', '/healthz', 'GET'],
  ['POST', '/', 'GET'],
])('the request %s %s returns 405 that allows %s', async (method, path, allowed) => {
  const response = await fetch(`${proxy.url}${path}`, { method });
  expect(response.headers.get('allow')).toBe(allowed);
  await expectRefusal(response, { status: 405, code: 'method_not_allowed' });
});

test('no refused request has cost anything', async () => {
  // Two of the key that was deactivated in between, and the one at the limits.
  const accepted = 3;
  expect(await spentAtRest(harness, customer.accountId)).toBe(BigInt(accepted) * costNano);
});
