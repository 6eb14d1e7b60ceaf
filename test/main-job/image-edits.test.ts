/** Images made from others, requested by OpenAI's own client and by any other: what is sent, held, paid and refused. */
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { toFile } from 'openai';
import { guardTimeoutMs, logIn, waitFor } from '../harness/account-view.ts';
import { spentAtRest } from '../harness/books.ts';
import type { Customer } from '../harness/customers.ts';
import { imageBase64, imagesResponse, imageUsage, startImageGateway } from '../harness/providers/images.ts';
import { type Behaviour, failWith } from '../harness/providers/scripted-provider.ts';

const { harness, provider, admin, proxy, newCustomer, stop } = await startImageGateway();
afterAll(stop);

const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAA', 'base64');
const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]);
const webp = Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBPVP8 '), Buffer.alloc(20)]);

type Part = readonly [name: string, value: string | Uint8Array];

function formOf(parts: readonly Part[]): FormData {
  const form = new FormData();
  for (const [name, value] of parts) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([new Uint8Array(value)]), 'cat; "x".exe');
  }
  return form;
}

const usual: readonly Part[] = [
  ['model', 'test/prompted'],
  ['prompt', 'Give the cat a hat'],
];

const edit = (customer: Customer, parts: readonly Part[], init: RequestInit = {}) =>
  fetch(`${proxy.url}/v1/images/edits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.proxyKey}` },
    body: formOf([...usual.filter(([name]) => !parts.some(([other]) => other === name)), ...parts]),
    ...init,
  });

/** An image costs 12,000,000 nano-dollars, and a token of the prompt 6,000. */
const costNano = (images: number, promptTokens: number) => BigInt(images) * 12_000_000n + BigInt(promptTokens) * 6_000n;

const usageOf = (input: number) => ({
  usage: { ...imageUsage, input_tokens: input, input_tokens_details: { text_tokens: 5, image_tokens: input - 5 } },
});

describe('an image that is made from others', () => {
  test('costs its price and the tokens of what it is made from', async () => {
    const { customer, client } = await newCustomer();
    provider.on('upstream-image', imagesResponse(2, usageOf(2_005)));
    const { data, response } = await client.images
      .edit({
        model: 'test/prompted',
        prompt: 'Give the cats a hat',
        n: 2,
        size: '1024x1024',
        image: [await toFile(png, 'a.png', { type: 'image/png' }), await toFile(jpeg, 'b.jpg', { type: 'image/jpeg' })],
        mask: await toFile(webp, 'c.webp', { type: 'image/webp' }),
        input_fidelity: 'high',
      })
      .withResponse();
    expect(data.data?.map(({ b64_json }) => b64_json)).toEqual([imageBase64, imageBase64]);
    expect(response.headers.get('x-cost-usd')).toBe('0.03603');
    const sent = provider.requests.at(-1);
    expect(sent?.path).toBe('/v1/images/edits');
    expect(sent?.body).toEqual({
      model: 'upstream-image',
      prompt: 'Give the cats a hat',
      n: '2',
      size: '1024x1024',
      input_fidelity: 'high',
      'image[]': [new Uint8Array(png), new Uint8Array(jpeg)],
      mask: new Uint8Array(webp),
    });
    expect(await spentAtRest(harness, customer.accountId)).toBe(costNano(2, 2_005));
  });

  test('costs what the provider reports and returns, whatever it is made from', async () => {
    const { customer } = await newCustomer('1000');
    let expected = 0n;
    const cases = fc.record({
      sources: fc.array(fc.constantFrom(png, jpeg, webp), { minLength: 1, maxLength: 16 }),
      returned: fc.integer({ min: 1, max: 4 }),
      wanted: fc.integer({ min: 1, max: 4 }),
      tokens: fc.integer({ min: 5, max: 20_000 }),
    });
    const property = fc.asyncProperty(cases, async ({ sources, returned, wanted, tokens }) => {
      provider.on('upstream-image', imagesResponse(returned, usageOf(tokens)));
      const name = sources.length === 1 ? 'image' : 'image[]';
      const response = await edit(customer, [
        ['n', String(wanted)],
        ...sources.map((source) => [name, source] as const),
      ]);
      const cost = costNano(Math.min(returned, wanted), tokens);
      expected += cost;
      expect(Number(response.headers.get('x-cost-usd')) * 1e9).toBeCloseTo(Number(cost), 3);
      expect(((await response.json()) as { data: object[] }).data.length).toBe(Math.min(returned, wanted));
    });
    await fc.assert(property, { numRuns: 60 });
    expect(await spentAtRest(harness, customer.accountId)).toBe(expected);
  });

  test('holds its price and the most that its sources can count for, and a quote says the same', async () => {
    const { customer } = await newCustomer();
    const { promise, resolve } = Promise.withResolvers<void>();
    provider.on('upstream-image', async (truth, request) => {
      await promise;
      return imagesResponse(1, usageOf(100))(truth, request);
    });
    const sent = edit(customer, [['image', png]]);
    const account = await logIn(admin, customer);
    await waitFor('the hold', guardTimeoutMs, async () => (await account.balance()).reserved > 0);
    const { reserved } = await account.balance();
    // An image, 8,192 tokens for its source, and the prompt.
    expect(reserved).toBeGreaterThan(0.012 + 8_192 * 0.000006);
    resolve();
    await (await sent).text();
    const quote = await fetch(`${proxy.url}/v1/quote`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.proxyKey}` },
      body: formOf([...usual, ['image', png]]),
    });
    expect(await quote.json()).toMatchObject({ max_cost: reserved });
  });

  test('is estimated if the provider does not report what it was made from', async () => {
    const { customer } = await newCustomer();
    provider.on('upstream-image', imagesResponse(1, {}));
    const response = await edit(customer, [['image', png]]);
    expect(response.status).toBe(200);
    const spent = await spentAtRest(harness, customer.accountId);
    expect(spent).toBeGreaterThan(costNano(1, 100));
    expect(spent).toBeLessThan(costNano(1, 9_000));
  });

  test('is awaited and charged if its client leaves', async () => {
    const { customer } = await newCustomer();
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow: Behaviour = async (truth, request) => {
      await promise;
      return imagesResponse(1, usageOf(300))(truth, request);
    };
    provider.on('upstream-image', slow);
    const requestsBefore = provider.requests.length;
    const leaving = new AbortController();
    const left = edit(customer, [['image', png]], { signal: leaving.signal });
    await waitFor('the request upstream', guardTimeoutMs, async () => provider.requests[requestsBefore]);
    leaving.abort();
    await left.catch(() => {});
    resolve();
    expect(await spentAtRest(harness, customer.accountId)).toBe(costNano(1, 300));
  });

  test('costs nothing if the provider refuses it', async () => {
    const { customer } = await newCustomer();
    provider.on('upstream-image', failWith(400, 'Your picture was blocked.'));
    expect((await edit(customer, [['image', png]])).status).toBe(400);
    expect(await spentAtRest(harness, customer.accountId)).toBe(0n);
  });
});

describe('a request for an image from others', () => {
  const several = Array.from({ length: 17 }, () => ['image[]', png] as const);
  test.each<readonly [string, readonly Part[], string, string | null]>([
    ['no picture', [], 'missing_parameter', 'image'],
    ['a text as its picture', [['image', Buffer.from('a cat')]], 'invalid_parameter', 'image'],
    [
      'a mask that is none',
      [
        ['image', png],
        ['mask', Buffer.from('x')],
      ],
      'invalid_parameter',
      'mask',
    ],
    [
      'two masks',
      [
        ['image', png],
        ['mask', png],
        ['mask', png],
      ],
      'invalid_parameter',
      'mask',
    ],
    ['too many pictures', several, 'invalid_parameter', 'image'],
    [
      'another file',
      [
        ['image', png],
        ['style', png],
      ],
      'unsupported_parameter',
      'style',
    ],
    [
      'no prompt',
      [
        ['image', png],
        ['prompt', ''],
      ],
      'invalid_parameter',
      'prompt',
    ],
    [
      'too many images',
      [
        ['image', png],
        ['n', '11'],
      ],
      'invalid_parameter',
      'n',
    ],
    [
      'a stream',
      [
        ['image', png],
        ['stream', 'true'],
      ],
      'unsupported_parameter',
      'stream',
    ],
    [
      'an unknown field',
      [
        ['image', png],
        ['strength', '0.5'],
      ],
      'unsupported_parameter',
      'strength',
    ],
    [
      'a model without a price for pictures',
      [
        ['image', png],
        ['model', 'test/image'],
      ],
      'unsupported_parameter',
      'image',
    ],
    [
      'a chat model',
      [
        ['image', png],
        ['model', 'test/chat'],
      ],
      'invalid_parameter',
      'model',
    ],
  ])('is refused before anything is held with %s', async (_, parts, code, param) => {
    const { customer } = await newCustomer();
    const requestsBefore = provider.requests.length;
    const response = await edit(customer, parts);
    const { error } = (await response.json()) as { error: { code: string; param: string | null } };
    expect([response.status, error.code, error.param]).toEqual([400, code, param]);
    expect(provider.requests.length).toBe(requestsBefore);
    expect(await (await logIn(admin, customer)).balance()).toMatchObject({ available: 10, reserved: 0 });
  });

  test('is quoted as a form, and a form is no quote for a chat model', async () => {
    const { customer } = await newCustomer();
    const quote = (body: FormData) =>
      fetch(`${proxy.url}/v1/quote`, {
        method: 'POST',
        headers: { authorization: `Bearer ${customer.proxyKey}` },
        body,
      });
    expect((await quote(formOf([...usual, ['image', png]]))).status).toBe(200);
    const refused = await quote(
      formOf([
        ['model', 'test/chat'],
        ['image', png],
      ]),
    );
    expect(await refused.json()).toMatchObject({ error: { code: 'invalid_json' } });
  });
});
