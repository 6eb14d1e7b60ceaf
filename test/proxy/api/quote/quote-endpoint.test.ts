/** POST /v1/quote through the real program predicts what a completion with the same body does, and changes nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { generateKey, hashKey, parseKey } from '../../../../shared/keys/api-key.ts';
import { nanoUsd, parseUsd } from '../../../../shared/money.ts';
import { noKeyLimits } from '../../../../shared/wallet/key-limits.ts';
import { shardOfAccount } from '../../../../shared/wallet/shard.ts';
import { Wallet } from '../../../../shared/wallet/wallet.ts';
import type { Customer } from '../../../harness/customers.ts';
import { startGateway } from '../../../harness/gateway.ts';
import { wholeResponse } from '../../../harness/providers/scripted-provider.ts';
import { readIdentity } from '../../../harness/wallet/shard-state.ts';
import { reserveRequestOf } from '../../../harness/wallet/wallet-bench.ts';

const { harness, provider, proxy, admin, stop } = await startGateway({ proxyEnvironment: { MAX_BODY_BYTES: '10000' } });
for (const model of ['upstream-priced', 'upstream-chat']) {
  provider.on(model, wholeResponse({ usage: { promptTokens: 0, completionTokens: 0 } }));
}

afterAll(stop);

interface QuoteBody {
  readonly max_tokens: number;
  readonly max_cost: number;
  readonly available: number;
  readonly held: number;
  readonly affordable: boolean;
  readonly affordable_max_tokens: number;
}

interface ErrorResponse {
  readonly error: { readonly code: string; readonly message: string };
}

const messages = [{ role: 'user', content: 'Hello?' }];

const post = (path: string, key: string, body: string) =>
  fetch(`${proxy.url}${path}`, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body });

async function quote(key: string, body: object): Promise<QuoteBody> {
  const response = await post('/v1/quote', key, JSON.stringify(body));
  expect(response.status).toBe(200);
  return (await response.json()) as QuoteBody;
}

const complete = (key: string, body: object) => post('/v1/chat/completions', key, JSON.stringify(body));

/** Holds an amount, as a running request would. */
async function hold(customer: Customer, usd: string): Promise<() => Promise<void>> {
  const { accountId } = customer;
  const shard = shardOfAccount(accountId);
  const keyHash = hashKey(customer.proxyKey, harness.keyPepper);
  const account = { accountId, shard, keyHash, identity: await readIdentity(harness.redis, shard) };
  const request = reserveRequestOf(account, { models: ['test/chat'], amountNano: parseUsd(usd) });
  const wallet = new Wallet(harness.redis);
  expect(await wallet.reserve(request)).toMatchObject({ ok: true });
  return () => wallet.release(request);
}

/** Everything in Redis for the account's shard, except the request count and what changes with time. */
async function shardContent(accountId: number): Promise<Map<string, string>> {
  const tag = `{s${shardOfAccount(accountId)}}`;
  const names = (await harness.redis.keys(`${tag}:*`)).sort();
  return new Map(
    await Promise.all(
      names.map(async (name): Promise<[string, string]> => {
        if (name === `${tag}:wallet:${accountId}`) {
          const fields = Object.entries(await harness.redis.hgetall(name));
          return [name, fields.filter(([field]) => !field.startsWith('rate')).join()];
        }
        const content = await harness.redis.dumpBuffer(name);
        return [name, content?.toString('base64') ?? ''];
      }),
    ),
  );
}

test('a quote has the prompt’s bound, the cap, the cost, the balance and the prices, to the digit', async () => {
  const customer = await harness.createCustomer({ usd: '8999999.123456789' });
  const release = await hold(customer, '0.000000001');
  const body = JSON.stringify({ model: 'test/chat', messages, max_tokens: 1000 });
  const response = await post('/v1/quote', customer.proxyKey, body);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(response.headers.get('x-request-id')).toBeString();
  // The bound is the body's bytes, with a max_tokens of ten digits in it.
  const promptTokens = body.length + 6;
  const maxCostNano = promptTokens * 600 + 1000 * 1800;
  expect(await response.text()).toBe(
    `{"object":"quote","model":"test/chat","prompt_tokens_max":${promptTokens},"max_tokens":1000,` +
      `"max_cost":${(maxCostNano / 1e9).toFixed(9).replace(/0+$/, '')},"available":8999999.123456788,` +
      '"held":0.000000001,"affordable":true,"affordable_max_tokens":2048,' +
      '"pricing":{"prompt":"0.0000006","completion":"0.0000018"}}',
  );
  await release();
});

test('a quote holds nothing, charges nothing and leaves nothing behind, affordable or not', async () => {
  const customer = await harness.createCustomer({ usd: '0.001' });
  const before = await shardContent(customer.accountId);
  expect(before.size).toBeGreaterThan(2);
  const requestsBefore = provider.requests.length;
  for (const cap of [1, 100, 101, undefined]) {
    await quote(customer.proxyKey, { model: 'test/priced-output', messages, max_tokens: cap });
  }
  expect(await shardContent(customer.accountId)).toEqual(before);
  expect(provider.requests).toHaveLength(requestsBefore);
});

describe('a quote and a completion with the same body', () => {
  // Output costs 10 micro-dollars per token; the prompt is free for test/priced-output and 600 nano for test/chat.
  const cases: [usd: string, held: string, body: Record<string, unknown>][] = [];
  for (const [usd, held] of [
    ['0', '0'],
    ['0.00015', '0'],
    ['0.00016', '0'],
    ['0.001', '0'],
    ['0.001', '0.0005'],
    ['0.001', '0.001'],
    ['0.00099999', '0.00084'],
    ['0.00101', '0.000000001'],
    ['1', '0.5'],
  ] as const) {
    for (const cap of [undefined, 1, 16, 100, 101, 4096, 5000]) {
      cases.push([
        usd,
        held,
        { model: 'test/priced-output', messages, ...(cap === undefined ? {} : { max_tokens: cap }) },
      ]);
    }
    cases.push([usd, held, { model: 'test/priced-output', messages, max_completion_tokens: 50, n: 2 }]);
    cases.push([usd, held, { model: 'test/chat', messages }]);
    cases.push([usd, held, { model: 'test/chat', messages, max_tokens: 500 }]);
  }

  for (const [usd, held, body] of cases) {
    const { messages: _, ...shown } = body;
    test(`quote and completion agree for $${usd}, $${held} of it held, and ${JSON.stringify(shown)}`, async () => {
      const customer = await harness.createCustomer({ usd });
      if (held !== '0') await hold(customer, held);
      const quoted = await quote(customer.proxyKey, body);
      const completed = await complete(customer.proxyKey, body);

      expect(completed.status).toBe(quoted.affordable ? 200 : 403);
      if (quoted.affordable) {
        expect(provider.requests.at(-1)?.body.max_tokens).toBe(quoted.max_tokens);
        expect(quoted.affordable_max_tokens).toBeGreaterThanOrEqual(quoted.max_tokens);
      } else {
        const { error } = (await completed.json()) as ErrorResponse;
        expect(error.code).toBeOneOf(['insufficient_balance', 'balance_reserved']);
        expect(numbersOf(error.message)).toEqual([
          quoted.available,
          quoted.held,
          quoted.max_cost,
          quoted.affordable_max_tokens,
        ]);
      }
      const best = quoted.affordable_max_tokens;
      const { max_completion_tokens: _cap, ...uncapped } = body;
      if (best > 0) expect((await complete(customer.proxyKey, { ...uncapped, max_tokens: best })).status).toBe(200);
    });
  }

  function numbersOf(message: string): number[] {
    const facts =
      /available: \$([\d.]+), held by requests in flight: \$([\d.]+), maximum cost: \$([\d.]+)(?:, affordable max_tokens: (\d+))?\)\.$/;
    return (facts.exec(message) ?? []).slice(1).map((text) => Number(text ?? 0));
  }
});

test('a balance that only holds make insufficient is reported as reserved, even without max_tokens', async () => {
  const customer = await harness.createCustomer({ usd: '0.001' });
  const release = await hold(customer, '0.001');
  const body = { model: 'test/priced-output', messages };
  const refused = await complete(customer.proxyKey, body);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(((await refused.json()) as ErrorResponse).error.code).toBe('balance_reserved');
  await release();
  expect(await quote(customer.proxyKey, body)).toMatchObject({ affordable: true, max_tokens: 100, max_cost: 0.001 });
  expect((await complete(customer.proxyKey, body)).status).toBe(200);
});

describe('a quote refuses in the same words as a completion', () => {
  let customer: Customer;

  beforeAll(async () => {
    customer = await harness.createCustomer({ usd: '1' });
  });

  async function expectSameRefusal(key: string, body: string, code: string): Promise<void> {
    const [quoted, completed] = await Promise.all([
      post('/v1/quote', key, body),
      post('/v1/chat/completions', key, body),
    ]);
    const [one, other] = (await Promise.all([quoted.json(), completed.json()])) as [ErrorResponse, ErrorResponse];
    expect(one.error.code).toBe(code);
    expect(one).toEqual(other);
    expect(quoted.status).toBe(completed.status);
    expect(quoted.headers.get('www-authenticate')).toBe(completed.headers.get('www-authenticate'));
  }

  const good = JSON.stringify({ model: 'test/chat', messages });

  test('keys that are missing, malformed, unknown, expired or of the wrong type', async () => {
    await expectSameRefusal('', good, 'invalid_api_key');
    await expectSameRefusal('nonsense', good, 'invalid_api_key');
    await expectSameRefusal(generateKey('proxy', shardOfAccount(customer.accountId)), good, 'invalid_api_key');
    await expectSameRefusal(customer.billingKey, good, 'wrong_key_type');
    await expectSameRefusal(await harness.createExpiredKey(customer.accountId), good, 'key_expired');
  });

  test('a deactivated key, a model that the key may not use, and an unverified address', async () => {
    const key = generateKey('proxy', shardOfAccount(customer.accountId));
    const state = {
      id: 1,
      accountId: customer.accountId,
      hash: hashKey(key, harness.keyPepper),
      deleted: false,
      addressProven: true,
      expiresAt: null,
      limits: noKeyLimits,
    };
    await harness.keeper.publishKey({ ...state, version: 1, active: false, allowedModels: null });
    await expectSameRefusal(key, good, 'key_deactivated');
    await harness.keeper.publishKey({ ...state, version: 2, active: true, allowedModels: ['test/failover'] });
    await expectSameRefusal(key, good, 'model_not_allowed');
    const unproven = { ...state, version: 3, active: true, addressProven: false, allowedModels: null };
    await harness.keeper.publishKey(unproven);
    await expectSameRefusal(key, good, 'email_not_verified');
  });

  const bodies: [code: string, body: string][] = [
    ['invalid_json', '{"model":'],
    ['invalid_json', ''],
    ['missing_parameter', JSON.stringify({ messages })],
    ['invalid_parameter', JSON.stringify({ model: 7, messages })],
    ['missing_parameter', JSON.stringify({ model: 'test/chat' })],
    ['invalid_parameter', JSON.stringify({ model: 'test/chat', messages, temperature: 3 })],
    ['invalid_parameter', JSON.stringify({ model: 'test/chat', messages, max_tokens: 0 })],
    ['model_not_found', JSON.stringify({ model: 'test/none', messages })],
    [
      'body_too_large',
      JSON.stringify({ model: 'test/chat', messages: [{ role: 'user', content: 'x'.repeat(10_000) }] }),
    ],
  ];
  for (const [code, body] of bodies) {
    test(`the body ${body.slice(0, 75)} with ${code}`, () => expectSameRefusal(customer.proxyKey, body, code));
  }

  test('nothing by GET, which is a 405', async () => {
    const response = await fetch(`${proxy.url}/v1/quote`);
    expect(response.status).toBe(405);
  });
});

describe('a quote for a wallet that is not in Redis', () => {
  const body = JSON.stringify({ model: 'test/priced-output', messages, max_tokens: 100 });

  async function loseWallet(customer: Customer): Promise<void> {
    const shard = parseKey(customer.proxyKey)?.shard;
    expect(await harness.redis.del(`{s${shard}}:wallet:${customer.accountId}`)).toBe(1);
  }

  test('waits until the wallet is loaded from the ledger', async () => {
    const customer = await harness.createCustomer({ usd: '0.25' });
    await loseWallet(customer);
    const response = await post('/v1/quote', customer.proxyKey, body);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ available: 0.25, held: 0, affordable: true });
    expect(await harness.keeper.readWallet(customer.accountId)).toEqual({
      availableNano: nanoUsd(250_000_000n),
      heldNano: nanoUsd(0n),
    });
  });

  test('a quote without a wallet returns 503 with Retry-After while the ledger is unreachable', async () => {
    const customer = await harness.createCustomer({ usd: '0.25' });
    await admin.stop();
    await loseWallet(customer);
    const unavailable = async () => {
      const response = await post('/v1/quote', customer.proxyKey, body);
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('1');
      expect(((await response.json()) as ErrorResponse).error.code).toBe('wallet_unavailable');
    };
    await unavailable();
    await harness.redis.hset(`{s${shardOfAccount(customer.accountId)}}:meta`, 'mode', 'recovering');
    await unavailable();
  });
});
