/**
 * Speech through both programs, requested by OpenAI's own client and by any other: what is delivered, held and paid, and its
 * receipt. Costs are reckoned here once more, by hand.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { guardTimeoutMs, logIn, waitFor } from '../harness/account-view.ts';
import { spentAtRest } from '../harness/books.ts';
import type { Customer } from '../harness/customers.ts';
import {
  audioEvents,
  characterNano,
  doneWith,
  plainAudio,
  readAudio,
  startSpeechGateway,
} from '../harness/providers/speech.ts';

const { harness, provider, admin, proxy, newCustomer, speak, stop } = await startSpeechGateway();
afterAll(stop);

const audioOf = (...texts: readonly string[]) => texts.map((text) => new TextEncoder().encode(text));

const read = async <Body>(customer: Customer, path: string) => (await logIn(admin, customer)).get<Body>(path);

describe('speech that is paid by the character', () => {
  test('is delivered as it comes, says its cost, and the receipt says for how many characters', async () => {
    const { customer, client } = await newCustomer();
    provider.on('upstream-speech', plainAudio(audioOf('ID3', 'some', 'sound'), 'audio/mpeg'));
    const input = 'Zwölf Boxkämpfer 🥊🇩🇪 jagen Viktor.';
    const { data, response } = await client.audio.speech
      .create({ model: 'test/by-character', input, voice: 'alloy', speed: 1.25, instructions: 'slowly' })
      .withResponse();
    expect(await data.text()).toBe('ID3somesound');
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    // An emoji is one, a flag two.
    expect([...input].length).toBe(34);
    expect(response.headers.get('x-cost-usd')).toBe('0.000521322');
    expect(provider.requests.at(-1)).toMatchObject({
      path: '/v1/audio/speech',
      body: { model: 'upstream-speech', input, voice: 'alloy', speed: 1.25, instructions: 'slowly' },
    });
    expect(await spentAtRest(harness, customer.accountId)).toBe(34n * characterNano);

    const account = await logIn(admin, customer);
    const [transaction] = await account.transactions();
    expect(transaction).toMatchObject({ description: 'test/by-character: 34 characters' });
    const receipt = await read<object>(customer, `/api/requests/${response.headers.get('x-request-id')}`);
    expect(receipt).toMatchObject({
      model: 'test/by-character',
      characters: 34,
      promptTokens: 0,
      completionTokens: 0,
      estimated: false,
      charged: '0.000521322',
      price: { perUnit: [{ unit: 'character', price: '0.000015333' }] },
      cost: {
        units: [{ unit: 'character', count: 34, price: '0.000015333', amount: '0.000521322' }],
        total: '0.000521322',
      },
    });
    const { usage: sums } = await read<{ usage: object[] }>(customer, '/api/usage?groupBy=model');
    expect(sums).toMatchObject([{ model: 'test/by-character', requests: 1, characters: 34, cost: '0.000521322' }]);
  });

  test('is held at its price while the provider works, and a quote says the same', async () => {
    const { customer } = await newCustomer();
    const { promise, resolve } = Promise.withResolvers<void>();
    provider.on('upstream-speech', async (truth, request) => {
      await promise;
      return plainAudio(audioOf('sound'))(truth, request);
    });
    const sent = speak(customer, { input: 'x'.repeat(4_000) });
    const account = await logIn(admin, customer);
    await waitFor('the hold', guardTimeoutMs, async () => (await account.balance()).reserved > 0);
    expect((await account.balance()).reserved).toBe(0.061332);
    resolve();
    await (await sent).arrayBuffer();
    const quote = await fetch(`${proxy.url}/v1/quote`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.proxyKey}` },
      body: JSON.stringify({ model: 'test/by-character', input: 'x'.repeat(4_000), voice: 'alloy' }),
    });
    expect(await quote.json()).toMatchObject({
      max_cost: 0.061332,
      max_tokens: 0,
      affordable: true,
      pricing: { character: '0.000015333' },
    });
  });

  test('costs the characters of any text, in plain audio and in events', async () => {
    const { customer } = await newCustomer('1000');
    let expected = 0n;
    const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), fc.lorem({ maxCount: 40 }));
    const cases = fc.record({
      input: text.filter((input) => input !== '' && input.length <= 4_096 && input.isWellFormed()),
      parts: fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 6 }),
      wantsEvents: fc.boolean(),
    });
    const property = fc.asyncProperty(cases, async ({ input, parts, wantsEvents }) => {
      provider.on('upstream-speech', plainAudio(parts));
      const response = await speak(customer, { input, ...(wantsEvents && { stream_format: 'sse' }) });
      const costNano = BigInt([...input].length) * characterNano;
      expected += costNano;
      expect(provider.requests.at(-1)?.body.stream_format).toBeUndefined();
      if (!wantsEvents) {
        expect(await readAudio(response)).toEqual({ audio: Buffer.concat(parts), isBroken: false });
        expect(Number(response.headers.get('x-cost-usd')) * 1e9).toBeCloseTo(Number(costNano), 3);
        return;
      }
      const { audio, done } = eventsIn(await response.text());
      expect(audio).toEqual(Buffer.concat(parts));
      expect(done).toMatchObject({ usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 } });
      expect((done?.usage.cost ?? 0) * 1e9).toBeCloseTo(Number(costNano), 3);
    });
    await fc.assert(property, { numRuns: 150 });
    expect(await spentAtRest(harness, customer.accountId)).toBe(expected);
  });
});

interface Done {
  readonly usage: { readonly cost: number };
}

/** The audio of a stream of events, and its last one. */
function eventsIn(text: string): { audio: Buffer; done: Done | undefined } {
  const events = text
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => JSON.parse(event.slice('data: '.length)) as { type: string; audio?: string });
  const audio = Buffer.concat(events.map(({ audio = '' }) => Buffer.from(audio, 'base64')));
  const last = events.at(-1);
  return { audio, done: last?.type === 'speech.audio.done' ? (last as unknown as Done) : undefined };
}

describe('speech that is paid by tokens', () => {
  test('costs the usage that the provider reports, in plain audio and in events', async () => {
    const { customer } = await newCustomer('1000');
    let expected = 0n;
    const cases = fc.record({
      parts: fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 6 }),
      input: fc.integer({ min: 0, max: 2_000 }),
      output: fc.integer({ min: 0, max: 6_000 }),
      wantsEvents: fc.boolean(),
    });
    const property = fc.asyncProperty(cases, async ({ parts, input, output, wantsEvents }) => {
      const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
      provider.on('upstream-speech', audioEvents(parts, doneWith(usage)));
      const format = wantsEvents ? { stream_format: 'sse' } : {};
      const response = await speak(customer, { model: 'test/by-token', ...format });
      expect(provider.requests.at(-1)?.body.stream_format).toBe('sse');
      const costNano = 100_000n + BigInt(input) * 600n + BigInt(output) * 12_000n;
      expected += costNano;
      if (!wantsEvents) {
        expect(await readAudio(response)).toEqual({ audio: Buffer.concat(parts), isBroken: false });
        expect(response.headers.get('content-type')).toBe('audio/mpeg');
        // Only of a short response is the end there with its beginning.
        const told = response.headers.get('x-cost-usd');
        if (told !== null) expect(Number(told) * 1e9).toBeCloseTo(Number(costNano), 3);
        return;
      }
      const { audio, done } = eventsIn(await response.text());
      expect(audio).toEqual(Buffer.concat(parts));
      expect(done).toMatchObject({ usage });
      expect((done?.usage.cost ?? 0) * 1e9).toBeCloseTo(Number(costNano), 3);
    });
    await fc.assert(property, { numRuns: 100 });
    expect(await spentAtRest(harness, customer.accountId)).toBe(expected);
  });

  test.each([
    ['none', undefined],
    ['nonsense', { input_tokens: 'many', output_tokens: -1 }],
    ['half of it', { input_tokens: 3 }],
    ['too much', { input_tokens: 1e12, output_tokens: 1e12 }],
  ])('is estimated from its text if the provider reports %s', async (_, usage) => {
    const { customer } = await newCustomer();
    provider.on('upstream-speech', audioEvents(audioOf('sound'), doneWith(usage)));
    const response = await speak(customer, { model: 'test/by-token', input: 'Four words of text.' });
    await response.arrayBuffer();
    const spent = await spentAtRest(harness, customer.accountId);
    // A token and a half of audio for each of 19 characters, and some five of text.
    expect(spent - 100_000n - 29n * 12_000n).toBeGreaterThanOrEqual(3n * 600n);
    expect(spent - 100_000n - 29n * 12_000n).toBeLessThanOrEqual(40n * 600n);
    const receipt = await read<object>(customer, `/api/requests/${response.headers.get('x-request-id')}`);
    expect(receipt).toMatchObject({ estimated: true, completionTokens: 29, characters: 0, pricedRequests: 1 });
  });

  test('costs nothing but its request if the provider reports zero, and once if it reports twice', async () => {
    const { customer } = await newCustomer();
    const none = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
    const some = { input_tokens: 10, output_tokens: 20, total_tokens: 30 };
    provider.on('upstream-speech', audioEvents(audioOf('sound'), doneWith(none)));
    await (await speak(customer, { model: 'test/by-token' })).arrayBuffer();
    expect(await spentAtRest(harness, customer.accountId)).toBe(100_000n);
    provider.on('upstream-speech', audioEvents(audioOf('sound'), doneWith(some) + doneWith(some)));
    await (await speak(customer, { model: 'test/by-token' })).arrayBuffer();
    expect(await spentAtRest(harness, customer.accountId)).toBe(200_000n + 10n * 600n + 20n * 12_000n);
  });

  test('holds the most that its model can speak, and is refused if the balance does not cover that', async () => {
    const { customer } = await newCustomer('0.04');
    const response = await speak(customer, { model: 'test/by-token' });
    expect(response.status).toBe(403);
    // 4,000 tokens of audio.
    expect(await response.text()).toContain('$0.048');
  });
});

test('no balance is overdrawn, however many requests arrive at once', async () => {
  const property = fc.asyncProperty(
    fc.integer({ min: 1, max: 400 }),
    fc.integer({ min: 1, max: 30 }),
    async (of, length) => {
      const { customer } = await newCustomer((of / 100_000).toFixed(5));
      provider.on('upstream-speech', plainAudio(audioOf('sound')));
      const responses = await Promise.all(
        Array.from({ length: 12 }, () => speak(customer, { input: 'x'.repeat(length) })),
      );
      const served = responses.filter(({ status }) => status === 200).length;
      await Promise.all(responses.map((response) => response.arrayBuffer()));
      const costNano = BigInt(length) * characterNano;
      const balanceNano = BigInt(of) * 10_000n;
      expect(await spentAtRest(harness, customer.accountId)).toBe(BigInt(served) * costNano);
      expect(BigInt(served) * costNano).toBeLessThanOrEqual(balanceNano);
      // Nothing is refused for money that is there.
      if (served < 12) expect(balanceNano - BigInt(served) * costNano).toBeLessThan(costNano);
    },
  );
  await fc.assert(property, { numRuns: 15 });
});
