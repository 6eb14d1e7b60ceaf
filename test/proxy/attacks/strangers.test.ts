/** Requests without a valid key cause no work: only their headers are awaited, read or parsed. */
import { afterAll, describe, expect, test } from 'bun:test';
import { endpoints } from '../../../proxy/api/endpoints.ts';
import { generateKey, hashKey } from '../../../shared/keys/api-key.ts';
import { shardOfAccount } from '../../../shared/wallet/shard.ts';
import {
  hasHead,
  type RawConnection,
  rawConnection,
  requestHead,
  statusOf,
} from '../../harness/clients/raw-exchange.ts';
import { testPassword } from '../../harness/customers.ts';
import { startGateway } from '../../harness/gateway.ts';
import { wholeResponse } from '../../harness/providers/scripted-provider.ts';

const { harness, provider, admin, proxy, stop } = await startGateway();
const customer = await harness.createCustomer({ usd: '1' });
/** Has a valid format and checksum, which anyone can make. */
const invented = generateKey('proxy', shardOfAccount(customer.accountId));
const paths = [...Object.keys(endpoints), '/v1/quote', '/v1/messages/count_tokens'];
const announcedBytes = 20_000_000;

afterAll(stop);

/** A request without its body. */
function sendHeader(path: string, key: string): RawConnection {
  const connection = rawConnection(proxy.url);
  const headers = { ...headersOf(path, key), 'content-length': announcedBytes };
  connection.send(requestHead(`POST ${path}`, headers));
  return connection;
}

async function responseToHeader(path: string, key: string): Promise<string> {
  const connection = sendHeader(path, key);
  const text = await connection.until((received) => hasHead(received) && received.includes('}'));
  connection.close();
  return text;
}

/** The statuses of requests without their bodies by the time that later requests with bodies have responses. */
async function respondedMeanwhile(path: string, key: string): Promise<string> {
  const connection = sendHeader(path, key);
  for (let later = 0; later < 3; later += 1) expect(await statusWith(path, key, 'not JSON')).toBe(400);
  const { text } = connection;
  connection.close();
  return text;
}

async function statusWith(path: string, key: string, body: string): Promise<number> {
  const response = await fetch(`${proxy.url}${path}`, {
    method: 'POST',
    headers: headersOf(path, key),
    body,
  });
  await response.text();
  return response.status;
}

function headersOf(path: string, key: string): Record<string, string> {
  const isForm = endpoints[path]?.form !== undefined;
  return {
    authorization: `Bearer ${key}`,
    'content-type': isForm ? 'multipart/form-data; boundary=b' : 'application/json',
  };
}

describe.each(paths)('%s', (path) => {
  test('responds to an unknown key without waiting for the body', async () => {
    const response = await responseToHeader(path, invented);
    expect(statusOf(response)).toBe(401);
    expect(response).toContain('invalid_api_key');
  });

  test('does not parse the body of an unknown key', async () => {
    expect(await statusWith(path, invented, 'not JSON')).toBe(401);
    expect(await statusWith(path, customer.proxyKey, 'not JSON')).toBe(400);
  });

  test('waits for the body of a known key', async () => {
    expect(await respondedMeanwhile(path, customer.proxyKey)).toBe('');
  });
});

test('a key that was known and is deleted is treated as unknown again', async () => {
  const { accountId, proxyKey } = await harness.createCustomer({ usd: '1' });
  const body = JSON.stringify({ model: 'test/chat', messages: [{ role: 'user', content: 'Hello?' }] });
  provider.on('upstream-chat', wholeResponse({ usage: { promptTokens: 1, completionTokens: 1 } }));
  expect(await statusWith('/v1/chat/completions', proxyKey, body)).toBe(200);
  expect(await respondedMeanwhile('/v1/chat/completions', proxyKey)).toBe('');
  const record = `{s${shardOfAccount(accountId)}}:key:${hashKey(proxyKey, harness.keyPepper)}`;
  expect(await harness.redis.del(record)).toBe(1);
  expect(await statusWith('/v1/chat/completions', proxyKey, body)).toBe(401);
  expect(statusOf(await responseToHeader('/v1/chat/completions', proxyKey))).toBe(401);
});

describe('the account API', () => {
  const login = { email: 'nobody@example.com', password: 'a'.repeat(12) };
  const post = async (path: string, body: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${admin.url}${path}`, {
      method: path.includes('catalogue') ? 'PUT' : 'POST',
      headers,
      body,
    });
    const { error } = (await response.json()) as { error: { code: string } };
    return `${response.status} ${error.code}`;
  };

  test('reads no more than 256 KiB from anyone', async () => {
    const bytes = (count: number) => JSON.stringify({ ...login, fill: 'a'.repeat(count) });
    expect(await post('/api/auth/login', bytes(256 * 1024))).toBe('413 body_too_large');
    expect(await post('/api/auth/login', bytes(200 * 1024))).toStartWith('400 ');
  });

  test('does not wait for a body that is announced as too large', async () => {
    const connection = rawConnection(admin.url);
    connection.send(requestHead('POST /api/auth/login', { 'content-length': announcedBytes }));
    expect(statusOf(await connection.until(hasHead))).toBe(413);
    connection.close();
  });

  test.each(['[', '{"a":'])('refuses %s nested deeply', async (open) => {
    expect(await post('/api/auth/login', open.repeat(50_000))).toBe('400 body_too_complex');
  });

  test('accepts a large catalogue from an operator, and does not wait for one from another caller', async () => {
    const catalogue = JSON.stringify({ catalogue: `# ${'a'.repeat(1_000_000)}` });
    const tokenOf = async (email: string) => {
      const response = await fetch(`${admin.url}/api/auth/login`, {
        method: 'POST',
        body: JSON.stringify({ email, password: testPassword }),
      });
      const { accessToken } = (await response.json()) as { accessToken: string };
      return { authorization: `Bearer ${accessToken}` };
    };
    const operator = await harness.createCustomer({ usd: '0', role: 'operator' });
    expect(await post('/api/operator/catalogue', catalogue, await tokenOf(operator.email))).toBe(
      '400 invalid_catalogue',
    );
    expect(await post('/api/operator/catalogue', catalogue, await tokenOf(customer.email))).toBe('413 body_too_large');
    const connection = rawConnection(admin.url);
    connection.send(requestHead('PUT /api/operator/catalogue', { 'content-length': announcedBytes }));
    expect(statusOf(await connection.until(hasHead))).toBe(413);
    connection.close();
  });
});
