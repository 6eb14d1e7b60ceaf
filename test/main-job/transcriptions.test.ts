/**
 * Transcripts through both programs, requested by OpenAI's own client and by any other: what is delivered, held and paid, and
 * its receipt. Costs are reckoned here once more, by hand.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { toFile } from 'openai';
import { guardTimeoutMs, logIn, waitFor } from '../harness/account-view.ts';
import { spentAtRest } from '../harness/books.ts';
import type { Customer } from '../harness/customers.ts';
import {
  durationOf,
  formOf,
  secondNano,
  startRecordingGateway,
  tokensOf,
  transcript,
  wavOf,
} from '../harness/providers/recordings.ts';
import { type Behaviour, failWith, rawResponse } from '../harness/providers/scripted-provider.ts';

const { harness, provider, admin, proxy, newCustomer, transcribe, stop } = await startRecordingGateway();
afterAll(stop);

const read = async <Body>(customer: Customer, path: string) => (await logIn(admin, customer)).get<Body>(path);

const receiptOf = (customer: Customer, response: Response) =>
  read<object>(customer, `/api/requests/${response.headers.get('x-request-id')}`);

describe('a transcript that is paid by the second', () => {
  test('is delivered with its cost, and the receipt says for how many seconds', async () => {
    const { customer, client } = await newCustomer();
    const file = wavOf(7.3);
    provider.on('upstream-listener', transcript({ ...durationOf(8), duration: 7.3, language: 'english', secret: 'x' }));
    const { data, response } = await client.audio.transcriptions
      .create({
        model: 'test/by-second',
        file: await toFile(file, 'holiday in Perm.wav'),
        language: 'en',
        temperature: 0.2,
        prompt: 'Greetings',
      })
      .withResponse();
    expect(data as object).toEqual({
      text: 'Hello, world.',
      usage: { type: 'duration', seconds: 8, cost: 0.000802664 },
    });
    expect(response.headers.get('x-cost-usd')).toBe('0.000802664');
    const sent = provider.requests.at(-1);
    expect(sent?.path).toBe('/v1/audio/transcriptions');
    const { file: bytes, ...fields } = sent?.body ?? {};
    expect(Buffer.compare(bytes as Uint8Array, file)).toBe(0);
    expect(fields).toEqual({
      model: 'upstream-listener',
      response_format: 'verbose_json',
      language: 'en',
      temperature: '0.2',
      prompt: 'Greetings',
    });
    expect(await spentAtRest(harness, customer.accountId)).toBe(8n * secondNano);
    const account = await logIn(admin, customer);
    const [transaction] = await account.transactions();
    expect(transaction).toMatchObject({ description: 'test/by-second: 8 seconds of audio' });
    expect(await receiptOf(customer, response)).toMatchObject({
      audioSeconds: 8,
      characters: 0,
      promptTokens: 0,
      completionTokens: 0,
      estimated: false,
      cost: { units: [{ unit: 'second', count: 8, price: '0.000100333', amount: '0.000802664' }] },
    });
    const { usage: sums } = await read<{ usage: object[] }>(customer, '/api/usage?groupBy=model');
    expect(sums).toMatchObject([{ model: 'test/by-second', requests: 1, audioSeconds: 8, cost: '0.000802664' }]);
  });

  test('is held by what is in the file, whatever its header claims, and a quote says the same', async () => {
    const { customer } = await newCustomer();
    const { promise, resolve } = Promise.withResolvers<void>();
    provider.on('upstream-listener', async (truth, request) => {
      await promise;
      return transcript(durationOf(30))(truth, request);
    });
    // It claims a hundredth of a second.
    const file = wavOf(30, { claimedBytesPerSecond: 24_000_000 });
    const sent = transcribe(customer, {}, { file });
    const account = await logIn(admin, customer);
    await waitFor('the hold', guardTimeoutMs, async () => (await account.balance()).reserved > 0);
    expect((await account.balance()).reserved).toBe(0.00300999);
    resolve();
    await (await sent).text();
    const quote = await fetch(`${proxy.url}/v1/quote`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.proxyKey}` },
      body: formOf({ model: 'test/by-second' }, file),
    });
    expect(await quote.json()).toMatchObject({ max_cost: 0.00300999, pricing: { second: '0.000100333' } });
  });

  test('costs the seconds that the provider reports, in every form of the response', async () => {
    const { customer } = await newCustomer('1000');
    let expected = 0n;
    const cases = fc.record({
      seconds: fc.integer({ min: 0, max: 40 }),
      says: fc.constantFrom('usage', 'duration', 'both'),
      format: fc.constantFrom('json', 'text', 'srt', 'verbose_json', 'vtt'),
    });
    const property = fc.asyncProperty(cases, async ({ seconds, says, format }) => {
      const duration = Math.max(0, seconds - 0.4);
      const reported = {
        ...(says !== 'duration' && durationOf(seconds)),
        ...(says !== 'usage' && { duration }),
        segments: [{ id: 0, start: 0, end: duration, text: ' Hello, world.' }],
      };
      provider.on('upstream-listener', transcript(reported));
      const response = await transcribe(customer, { response_format: format });
      const counted = says === 'duration' ? Math.ceil(duration) : seconds;
      const costNano = BigInt(counted) * secondNano;
      expected += costNano;
      expect(Number(response.headers.get('x-cost-usd')) * 1e9).toBeCloseTo(Number(costNano), 3);
      const text = await response.text();
      expect(text).toContain('Hello, world.');
      if (format === 'json' || format === 'verbose_json') {
        const { usage } = JSON.parse(text);
        if (counted > 0) expect(usage).toMatchObject({ type: 'duration', seconds: counted });
        expect(usage.cost * 1e9).toBeCloseTo(Number(costNano), 3);
      }
    });
    await fc.assert(property, { numRuns: 80 });
    expect(await spentAtRest(harness, customer.accountId)).toBe(expected);
  });

  test.each([
    ['nothing', {}],
    ['nonsense', durationOf('long')],
    ['less than nothing', durationOf(-5)],
    ['too much', { ...durationOf(1e12), duration: Number.MAX_VALUE }],
  ])('is estimated by what is in the file if the provider reports %s', async (_, reported) => {
    const { customer } = await newCustomer();
    provider.on('upstream-listener', transcript(reported));
    const response = await transcribe(customer, {}, { file: wavOf(12.2) });
    expect(response.status).toBe(200);
    await response.text();
    expect(await spentAtRest(harness, customer.accountId)).toBe(13n * secondNano);
    expect(await receiptOf(customer, response)).toMatchObject({ estimated: true, audioSeconds: 13 });
  });

  test('is given again for the same Idempotency-Key and form, in its form, and charged once', async () => {
    const { customer } = await newCustomer();
    provider.on('upstream-listener', transcript(durationOf(8)));
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const fields = { response_format: 'srt' };
    const responses = [];
    for (let time = 0; time < 2; time += 1) responses.push(await transcribe(customer, fields, { init: { headers } }));
    const [first, second] = await Promise.all(responses.map((response) => response.text()));
    expect(second).toBe(first ?? '');
    expect(responses[1]?.headers.get('content-type')).toStartWith('application/x-subrip');
    expect(responses[1]?.headers.get('idempotent-replayed')).toBe('true');
    const other = await transcribe(customer, fields, { file: wavOf(9), init: { headers } });
    expect(other.status).toBe(422);
    expect(await spentAtRest(harness, customer.accountId)).toBe(8n * secondNano);
  });
});

describe('a transcript that is paid by tokens', () => {
  test('costs the tokens that the provider reports, whole and streamed', async () => {
    const { customer } = await newCustomer('1000');
    let expected = 0n;
    const cases = fc.record({
      input: fc.integer({ min: 0, max: 3_000 }),
      output: fc.integer({ min: 0, max: 1_500 }),
      isStream: fc.boolean(),
      deltas: fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1, maxLength: 5 }),
    });
    const property = fc.asyncProperty(cases, async ({ input, output, isStream, deltas }) => {
      const { usage } = tokensOf(input, output);
      const text = deltas.join('');
      const events = [
        ...deltas.map((delta) => ({ type: 'transcript.text.delta', delta })),
        { type: 'transcript.text.done', text, usage },
      ];
      const streamed = rawResponse(
        events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''),
        'text/event-stream',
      );
      provider.on('upstream-listener', isStream ? streamed : transcript({ text, usage }));
      const response = await transcribe(customer, { model: 'test/by-token', ...(isStream && { stream: 'true' }) });
      expect(provider.requests.at(-1)?.body).toMatchObject({
        response_format: 'json',
        ...(isStream && { stream: 'true' }),
      });
      const costNano = 100_000n + BigInt(input) * 6_000n + BigInt(output) * 10_000n;
      expected += costNano;
      const body = await response.text();
      const received = isStream
        ? body
            .trim()
            .split('\n\n')
            .map((event) => JSON.parse(event.slice('data: '.length)))
        : [JSON.parse(body)];
      if (isStream) expect(received.slice(0, -1)).toEqual(events.slice(0, -1));
      expect(received.at(-1)).toMatchObject({
        text,
        usage: { type: 'tokens', input_tokens: input, output_tokens: output, total_tokens: input + output },
      });
      expect(received.at(-1).usage.cost * 1e9).toBeCloseTo(Number(costNano), 3);
    });
    await fc.assert(property, { numRuns: 80 });
    expect(await spentAtRest(harness, customer.accountId)).toBe(expected);
  });

  test.each([
    ['nothing', {}],
    ['nonsense', tokensOf('many', -1)],
    ['only its length', durationOf(8)],
  ])('is estimated if the provider reports %s, whole and streamed', async (_, reported) => {
    const { customer } = await newCustomer();
    const done = { type: 'transcript.text.done', text: 'Hello, world.', ...reported };
    const streamed = rawResponse(`data: ${JSON.stringify(done)}\n\n`, 'text/event-stream');
    let times = 0n;
    for (const [behaviour, fields] of [
      [transcript(reported), {}],
      [streamed, { stream: 'true' }],
    ] as const) {
      provider.on('upstream-listener', behaviour);
      const response = await transcribe(customer, { model: 'test/by-token', ...fields });
      await response.text();
      times += 1n;
      // Ten tokens a second, and four words and marks.
      expect(await spentAtRest(harness, customer.accountId)).toBe(times * (100_000n + 80n * 6_000n + 4n * 10_000n));
      expect(await receiptOf(customer, response)).toMatchObject({
        estimated: true,
        promptTokens: 80,
        completionTokens: 4,
        audioSeconds: 0,
      });
    }
  });

  test('costs once what the provider reports twice', async () => {
    const { customer } = await newCustomer();
    const done = `data: ${JSON.stringify({ type: 'transcript.text.done', text: 'Hi', ...tokensOf(10, 2) })}\n\n`;
    provider.on('upstream-listener', rawResponse(done + done, 'text/event-stream'));
    await (await transcribe(customer, { model: 'test/by-token', stream: 'true' })).text();
    expect(await spentAtRest(harness, customer.accountId)).toBe(100_000n + 60_000n + 20_000n);
  });
});

test('the model that responded is in a header, where the response has no place for it', async () => {
  const { customer } = await newCustomer();
  provider.on('upstream-first', failWith(503, 'busy'));
  provider.on('upstream-second', failWith(503, 'busy'));
  provider.on('upstream-listener', transcript(durationOf(8)));
  const fields = { model: 'test/two-providers', models: '["test/by-second"]', response_format: 'text' };
  const response = await transcribe(customer, fields);
  expect(await response.text()).toBe('Hello, world.\n');
  expect(response.headers.get('x-gateway-model')).toBe('test/by-second');
  expect(await spentAtRest(harness, customer.accountId)).toBe(8n * secondNano);
});

test('a recording is translated by the same models', async () => {
  const { customer, client } = await newCustomer();
  provider.on('upstream-listener', transcript({ ...durationOf(3), task: 'translate' }));
  const file = await toFile(wavOf(3), 'a.wav');
  const { text } = await client.audio.translations.create({ model: 'test/by-second', file });
  expect(text).toBe('Hello, world.');
  expect(provider.requests.at(-1)?.path).toBe('/v1/audio/translations');
  expect(await spentAtRest(harness, customer.accountId)).toBe(3n * secondNano);
});

test('no balance is overdrawn by recordings sent at once, nor by a provider that hears more', async () => {
  const cases = fc.record({
    micros: fc.integer({ min: 1, max: 4_000 }),
    seconds: fc.integer({ min: 1, max: 6 }),
    heard: fc.integer({ min: 0, max: 12 }),
  });
  const property = fc.asyncProperty(cases, async ({ micros, seconds, heard }) => {
    const { customer } = await newCustomer((micros / 1e6).toFixed(6));
    const hears: Behaviour = transcript(durationOf(heard));
    provider.on('upstream-listener', hears);
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => transcribe(customer, {}, { file: wavOf(seconds) })),
    );
    await Promise.all(responses.map((response) => response.text()));
    const spent = await spentAtRest(harness, customer.accountId);
    expect(spent).toBeLessThanOrEqual(BigInt(micros) * 1_000n);
    const served = responses.filter(({ status }) => status === 200).length;
    if (heard <= seconds) expect(spent).toBe(BigInt(served) * BigInt(heard) * secondNano);
  });
  await fc.assert(property, { numRuns: 15 });
});
