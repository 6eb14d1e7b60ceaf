/**
 * Images through both programs, requested by OpenAI's own client: what is delivered, held and paid, and its receipt.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { guardTimeoutMs, logIn, readLedger, waitFor } from '../harness/account-view.ts';
import { spentAtRest } from '../harness/books.ts';
import type { Customer } from '../harness/customers.ts';
import {
  imageBase64,
  imageCatalogue,
  imagesResponse,
  imageUsage,
  startImageGateway,
} from '../harness/providers/images.ts';
import { rawResponse } from '../harness/providers/scripted-provider.ts';

const { harness, provider, admin, newCustomer, post, stop } = await startImageGateway();

afterAll(stop);

const read = async <Body>(customer: Customer, path: string) => (await logIn(admin, customer)).get<Body>(path);

describe('a paid image', () => {
  test('costs its price by size and quality, and the receipt says how many of which at what', async () => {
    const { customer, client } = await newCustomer();
    provider.on(
      'upstream-image',
      imagesResponse(2, { usage: imageUsage, background: 'opaque', output_format: 'png', secret: 'x' }),
    );
    const { data, response } = await client.images
      .generate({ model: 'test/image', prompt: 'A red square', n: 2, size: '1024x1024', quality: 'high' })
      .withResponse();
    // 2 × 0.167 × 1.2.
    expect(response.headers.get('x-cost-usd')).toBe('0.4008');
    expect(data as object).toEqual({
      created: 1_790_000_000,
      data: [0, 1].map((index) => ({ b64_json: imageBase64, revised_prompt: `a red square, ${index}` })),
      background: 'opaque',
      output_format: 'png',
      usage: { ...imageUsage, cost: 0.4008 },
    });
    expect(provider.requests.at(-1)).toMatchObject({
      path: '/v1/images/generations',
      body: { model: 'upstream-image', prompt: 'A red square', n: 2, size: '1024x1024', quality: 'high' },
    });
    expect(await spentAtRest(harness, customer.accountId)).toBe(400_800_000n);

    const account = await logIn(admin, customer);
    const [transaction] = await account.transactions();
    expect(transaction).toMatchObject({ amount: -0.4008, description: 'test/image: 2 images (1024x1024/high)' });
    const receipt = await read<object>(customer, `/api/requests/${response.headers.get('x-request-id')}`);
    expect(receipt).toMatchObject({
      model: 'test/image',
      images: 2,
      promptTokens: 0,
      completionTokens: 0,
      estimated: false,
      charged: '0.4008',
      price: {
        perImage: [
          { size: '1024x1024', quality: 'high', price: '0.2004' },
          { size: '1024x1024', quality: 'default', price: '0.0504' },
          { size: 'default', quality: 'default', price: '0.0133333332' },
        ],
      },
      cost: {
        images: { size: '1024x1024', quality: 'high', count: 2, perImage: '0.2004', amount: '0.4008' },
        exact: '0.4008',
        rounding: '0',
        total: '0.4008',
      },
    });
    const { usage: sums } = await read<{ usage: object[] }>(customer, '/api/usage?groupBy=model');
    expect(sums).toMatchObject([{ model: 'test/image', requests: 1, images: 2, promptTokens: 0, cost: '0.4008' }]);
  });

  test('is rounded up once for the request, and the receipt keeps its price when the catalogue changes', async () => {
    const { customer } = await newCustomer();
    provider.on('upstream-image', imagesResponse(3));
    // 3 × 0.0133333332 = 0.0399999996.
    const response = await post(customer, { model: 'test/repriced', n: 3, size: '256x256', quality: 'auto' });
    expect(response.headers.get('x-cost-usd')).toBe('0.04');
    expect(await spentAtRest(harness, customer.accountId)).toBe(40_000_000n);
    await harness.applyCatalogue(imageCatalogue(provider.baseUrl, { repriced: '0.5' }));
    const receipt = await read<object>(customer, `/api/requests/${response.headers.get('x-request-id')}`);
    expect(receipt).toMatchObject({
      charged: '0.04',
      cost: {
        images: { size: 'default', quality: 'default', count: 3, perImage: '0.0133333332', amount: '0.0399999996' },
        exact: '0.0399999996',
        rounding: '0.0000000004',
      },
    });
  });

  test('is what the provider returned: fewer images than requested cost less, and more cost no more', async () => {
    const { customer, client } = await newCustomer();
    for (const [returned, paid] of [
      [1, '0.0504'],
      [4, '0.1512'],
    ] as const) {
      provider.on('upstream-image', imagesResponse(returned, {}));
      const { data, response } = await client.images
        .generate({ model: 'test/image', prompt: 'A red square', n: 3, size: '1024x1024', quality: 'low' })
        .withResponse();
      expect([data.data?.length, response.headers.get('x-cost-usd')]).toEqual([Math.min(returned, 3), paid]);
    }
    expect(await spentAtRest(harness, customer.accountId)).toBe(201_600_000n);
  });

  test('is held at the price of all images while the provider works', async () => {
    const { customer } = await newCustomer();
    const { promise, resolve } = Promise.withResolvers<void>();
    provider.on('upstream-image', async (truth, request) => {
      await promise;
      return imagesResponse(1)(truth, request);
    });
    const sent = post(customer, { n: 10, size: '1024x1024', quality: 'high' });
    const account = await logIn(admin, customer);
    await waitFor('the hold', guardTimeoutMs, async () => (await account.balance()).reserved > 0);
    expect(await account.balance()).toMatchObject({ balance: 10, reserved: 2.004, available: 7.996 });
    resolve();
    const { headers } = await sent;
    expect(headers.get('x-ratelimit-remaining-tokens')).toBe(headers.get('x-ratelimit-limit-tokens'));
    expect(await spentAtRest(harness, customer.accountId)).toBe(200_400_000n);
  });

  test('is returned again for the same Idempotency-Key, and charged once', async () => {
    const { customer } = await newCustomer();
    provider.on('upstream-image', imagesResponse(1));
    const headers = { authorization: `Bearer ${customer.proxyKey}`, 'idempotency-key': crypto.randomUUID() };
    const bodies = [];
    for (let time = 0; time < 2; time += 1) bodies.push(await (await post(customer, {}, { headers })).text());
    expect(bodies[1]).toBe(bodies[0] ?? '');
    expect(await spentAtRest(harness, customer.accountId)).toBe(13_333_334n);
  });

  test('is charged once if it is too large to be stored, and the repeated request is refused', async () => {
    const { customer } = await newCustomer();
    const large = 'A'.repeat(3 * 1024 * 1024);
    provider.on('upstream-image', rawResponse(JSON.stringify({ created: 1, data: [{ b64_json: large }] })));
    const headers = { authorization: `Bearer ${customer.proxyKey}`, 'idempotency-key': crypto.randomUUID() };
    const first = (await (await post(customer, {}, { headers })).json()) as { data: { b64_json: string }[] };
    expect(first.data[0]?.b64_json === large).toBe(true);
    const second = (await (await post(customer, {}, { headers })).json()) as { error: object };
    expect(second.error).toMatchObject({ code: 'idempotency_answer_gone' });
    expect(await spentAtRest(harness, customer.accountId)).toBe(13_333_334n);
  });
});

describe('the prompt of images, if it has a price of its own,', () => {
  const priced = { model: 'test/prompted', prompt: 'A red square on a white ground' };

  test('is held by its bytes, charged as the provider reports it, and on the receipt', async () => {
    const { customer } = await newCustomer();
    const { promise, resolve } = Promise.withResolvers<void>();
    provider.on('upstream-image', async (truth, request) => {
      await promise;
      return imagesResponse(1)(truth, request);
    });
    const sent = post(customer, priced);
    const account = await logIn(admin, customer);
    await waitFor('the hold', guardTimeoutMs, async () => (await account.balance()).reserved > 0);
    expect((await account.balance()).reserved).toBeGreaterThan(0.012 + 30 * 0.000006);
    resolve();
    const response = await sent;
    // An image, and 28 tokens.
    expect(response.headers.get('x-cost-usd')).toBe('0.012168');
    expect(await spentAtRest(harness, customer.accountId)).toBe(12_168_000n);
    const receipt = await read<object>(customer, `/api/requests/${response.headers.get('x-request-id')}`);
    expect(receipt).toMatchObject({ images: 1, promptTokens: 28, estimated: false, charged: '0.012168' });
  });

  test('is estimated if the provider does not report it', async () => {
    const { customer } = await newCustomer();
    provider.on('upstream-image', imagesResponse(2, {}));
    const response = await post(customer, { ...priced, n: 2 });
    const spent = await spentAtRest(harness, customer.accountId);
    // Seven words, of a token each.
    expect(spent).toBeGreaterThanOrEqual(24_000_000n + 5n * 6_000n);
    expect(spent).toBeLessThanOrEqual(24_000_000n + 9n * 6_000n);
    const receipt = await read<object>(customer, `/api/requests/${response.headers.get('x-request-id')}`);
    expect(receipt).toMatchObject({ images: 2, estimated: true });
  });
});

test('the ledger and the wallets agree on every account', async () => {
  const { customer } = await newCustomer();
  provider.on('upstream-image', imagesResponse(1));
  await (await post(customer, {})).text();
  const spent = await spentAtRest(harness, customer.accountId);
  const { balanceNano, spentNano } = await readLedger(harness, customer.accountId);
  expect([spentNano, balanceNano]).toEqual([spent, 10_000_000_000n - spent]);
});
