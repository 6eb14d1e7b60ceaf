/**
 * POST /v1/images/generations: what is accepted and refused, what a failure and a hang-up cost, and where prices are
 * shown.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { guardTimeoutMs, logIn, waitFor } from '../../../harness/account-view.ts';
import { spentAtRest } from '../../../harness/books.ts';
import { imagesResponse, startImageGateway } from '../../../harness/providers/images.ts';
import { type Behaviour, failWith, rawResponse } from '../../../harness/providers/scripted-provider.ts';

const { harness, provider, admin, proxy, newCustomer, post, stop } = await startImageGateway();

afterAll(stop);

async function refusalOf(response: Response) {
  const { error } = (await response.json()) as { error: { code: string; param: string | null; message: string } };
  return { status: response.status, code: error.code, param: error.param, message: error.message };
}

describe('a request for images', () => {
  test('a request for images that the balance does not cover is refused before the provider is called', async () => {
    const { customer } = await newCustomer('0.4');
    const requestsBefore = provider.requests.length;
    const refusal = await refusalOf(await post(customer, { n: 2, size: '1024x1024', quality: 'high' }));
    expect(refusal).toMatchObject({ status: 403, code: 'insufficient_balance' });
    expect(refusal.message).toContain('maximum cost: $0.4008');
    expect(provider.requests.length).toBe(requestsBefore);
    provider.on('upstream-image', imagesResponse(1));
    expect((await post(customer, { n: 1, size: '1024x1024', quality: 'high' })).status).toBe(200);
  });

  test.each([
    [{ size: '256x256', quality: 'low' }, 'size'],
    [{ size: '512x512', quality: 'high' }, 'quality'],
    [{ size: '512x512' }, 'quality'],
    [{}, 'size'],
  ])('a request for images with %j is refused by a model without a price for it', async (body, param) => {
    const { customer } = await newCustomer();
    const refusal = await refusalOf(await post(customer, { model: 'test/one-size', ...body }));
    expect(refusal).toMatchObject({ status: 400, code: 'invalid_parameter', param });
    expect(refusal.message).toEndWith('It has: 512x512/low.');
  });

  test.each([
    [{ stream: true }, 'unsupported_parameter', 'stream'],
    [{ partial_images: 2 }, 'unsupported_parameter', 'partial_images'],
    [{ hd_upscale: true }, 'unsupported_parameter', 'hd_upscale'],
    [{ n: 11 }, 'invalid_parameter', 'n'],
    [{ prompt: 'x'.repeat(32_001) }, 'invalid_parameter', 'prompt'],
    [{ model: 'test/chat' }, 'invalid_parameter', 'model'],
  ])(
    'is refused if it asks for more than is sold, and accepted if it disables that (%#)',
    async (body, code, param) => {
      const { customer } = await newCustomer();
      expect(await refusalOf(await post(customer, body))).toMatchObject({ status: 400, code, param });
      provider.on('upstream-image', imagesResponse(1));
      expect((await post(customer, { stream: false, partial_images: 0, hd_upscale: null })).status).toBe(200);
      expect(provider.requests.at(-1)?.body).toEqual({ model: 'upstream-image', prompt: 'A red square' });
    },
  );

  test("is refused before the provider is called if its prompt exceeds the model's context", async () => {
    const { customer } = await newCustomer();
    const requestsBefore = provider.requests.length;
    for (const model of ['test/image', 'test/prompted']) {
      const refusal = await refusalOf(await post(customer, { model, prompt: '紅色的正方形'.repeat(5_000) }));
      expect(refusal).toMatchObject({ status: 400, code: 'invalid_parameter', param: 'prompt' });
      expect(refusal.message).toEndWith(`'${model}' takes at most 8000.`);
    }
    expect(provider.requests.length).toBe(requestsBefore);
    provider.on('upstream-image', imagesResponse(1));
    expect((await post(customer, { prompt: 'A red square, '.repeat(1_500) })).status).toBe(200);
  });

  test('costs nothing if it fails at every provider', async () => {
    const { customer } = await newCustomer();
    for (const [behaviour, status] of [
      [failWith(400, 'Your prompt was blocked.'), 400],
      [rawResponse(JSON.stringify({ created: 1, data: [] })), 502],
      [rawResponse(JSON.stringify({ created: 1, data: [{ revised_prompt: 'nothing' }] })), 502],
      [rawResponse('<html>'), 502],
    ] as const) {
      provider.on('upstream-image', behaviour);
      expect((await post(customer, {})).status).toBe(status);
    }
    expect(await spentAtRest(harness, customer.accountId)).toBe(0n);
    expect(await (await logIn(admin, customer)).balanceAtRest()).toMatchObject({ available: 10 });
  });

  test('goes to the next deployment if the first one fails', async () => {
    const { customer } = await newCustomer();
    provider.on('upstream-first', failWith(500, 'down'));
    provider.on('upstream-second', imagesResponse(1, {}));
    const response = await post(customer, { model: 'test/one-size', size: '512x512', quality: 'low' });
    expect([response.status, response.headers.get('x-cost-usd')]).toEqual([200, '0.0024']);
  });

  test.each(['test/image', 'test/drained'])('is awaited and charged if its client leaves (%s)', async (model) => {
    const { customer } = await newCustomer();
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow: Behaviour = async (truth, request) => {
      await promise;
      return imagesResponse(2)(truth, request);
    };
    provider.on('upstream-image', slow);
    provider.on('upstream-drained', slow);
    const requestsBefore = provider.requests.length;
    const leaving = new AbortController();
    const left = post(customer, { model, n: 3 }, { signal: leaving.signal });
    await waitFor('the request upstream', guardTimeoutMs, async () => provider.requests[requestsBefore]);
    leaving.abort();
    await left.catch(() => {});
    resolve();
    const price = model === 'test/image' ? 13_333_333_200n : 2_400_000_000n;
    expect(await spentAtRest(harness, customer.accountId)).toBe((2n * price + 999n) / 1_000n);
  });
});

test('a quote has the price of an image and the most that the request can cost', async () => {
  const { customer } = await newCustomer('1');
  const quote = await fetch(`${proxy.url}/v1/quote`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.proxyKey}` },
    body: JSON.stringify({ model: 'test/image', prompt: 'A red square', n: 5, size: '1024x1024', quality: 'high' }),
  });
  expect(await quote.json()).toMatchObject({
    max_cost: 1.002,
    affordable: false,
    prompt_tokens_max: 0,
    max_tokens: 0,
    affordable_max_tokens: 0,
    pricing: { prompt: '0', completion: '0', image: '0.2004' },
  });
});

test('the list of models has the prices of images in dollars and roubles', async () => {
  const model = await (await fetch(`${proxy.url}/v1/models/test/one-size`)).json();
  expect(model).toMatchObject({
    kind: 'image',
    pricing: { prompt: '0', completion: '0', images: [{ size: '512x512', quality: 'low', price: '0.0024' }] },
    pricing_rub: { images: [{ size: '512x512', quality: 'low', price: '0.216' }], currency: 'RUB' },
  });
});
