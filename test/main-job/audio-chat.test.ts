/**
 * Audio in chat completions, through both programs and with OpenAI's client, and what has prices of its own in transcriptions and
 * image edits: any usage is compared with prices that are written here once more, by hand.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type OpenAI from 'openai';
import { toFile } from 'openai';
import { guardTimeoutMs, logIn, waitFor } from '../harness/account-view.ts';
import { spentAtRest } from '../harness/books.ts';
import type { Customer } from '../harness/customers.ts';
import { startGateway } from '../harness/gateway.ts';
import { chunkOf } from '../harness/providers/chunks.ts';
import { deltasResponse, messageResponse } from '../harness/providers/completions.ts';
import { imagesResponse, imageUsage } from '../harness/providers/images.ts';
import { customersOf } from '../harness/providers/paying-customers.ts';
import { wavOf } from '../harness/providers/recordings.ts';
import { rawResponse } from '../harness/providers/scripted-provider.ts';

/** Without a markup. A dollar per million tokens is 1,000 nano-dollars per token. */
const gateway = await startGateway({
  catalogue: (baseUrl) => `
providers:
  - { id: scripted, protocol: openai, baseUrl: "${baseUrl}" }
  - { id: google, protocol: gemini, baseUrl: "${baseUrl}" }
models:
  - id: test/audio
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 4000
    price: { prompt: "2.5", cachedPrompt: "1.25", audioPrompt: "32", completion: "10", reasoning: "12", audioCompletion: "64" }
    deployments: [{ provider: scripted, model: upstream-audio }]
  - id: test/text
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 4000
    price: { prompt: "2.5", completion: "10" }
    deployments: [{ provider: scripted, model: upstream-audio }]
  - id: test/gemini
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 4000
    price: { prompt: "0.3", cachedPrompt: "0.075", audioPrompt: "1", completion: "2.5" }
    deployments: [{ provider: google, model: upstream-gemini }]
  - id: test/listener
    kind: transcription
    ownedBy: test
    contextTokens: 16000
    maxOutputTokens: 2000
    price: { prompt: "2.5", audioPrompt: "6", completion: "10" }
    deployments: [{ provider: scripted, model: upstream-listener }]
  - id: test/painter
    kind: image
    ownedBy: test
    contextTokens: 1000
    price: { prompt: "5", imagePrompt: "10", images: [{ size: default, quality: default, priceUsd: "0.04" }] }
    deployments: [{ provider: scripted, model: upstream-painter }]
`,
});
const { harness, provider, proxy, admin, stop } = gateway;
const newCustomer = customersOf(gateway);
afterAll(stop);

const sumOf = (parts: readonly (readonly [count: number, nanoEach: number])[]) =>
  BigInt(parts.reduce((sum, [count, nanoEach]) => sum + count * nanoEach, 0));

interface Counts {
  readonly prompt: number;
  readonly cached: number;
  readonly audioIn: number;
  readonly completion: number;
  readonly reasoning: number;
  readonly audioOut: number;
}

/** Parts of a whole, which sum to no more than it. */
const shares = (whole: number) =>
  fc.tuple(fc.integer({ min: 0, max: whole }), fc.integer({ min: 0, max: whole })).map(([one, other]) => {
    const first = Math.min(one, other);
    return [first, Math.max(one, other) - first] as const;
  });

const counts: fc.Arbitrary<Counts> = fc
  .tuple(fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 1, max: 400 }))
  .chain(([prompt, completion]) =>
    fc.tuple(shares(prompt), shares(completion)).map(([[cached, audioIn], [reasoning, audioOut]]) => ({
      ...{ prompt, cached, audioIn, completion, reasoning, audioOut },
    })),
  );

const usageOf = ({ prompt, cached, audioIn, completion, reasoning, audioOut }: Counts) => ({
  ...{ prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  prompt_tokens_details: { cached_tokens: cached, audio_tokens: audioIn },
  completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: audioOut },
});

const costOf = ({ prompt, cached, audioIn, completion, reasoning, audioOut }: Counts) =>
  sumOf([
    [prompt - cached - audioIn, 2_500],
    [cached, 1_250],
    [audioIn, 32_000],
    [completion - reasoning - audioOut, 10_000],
    [reasoning, 12_000],
    [audioOut, 64_000],
  ]);

const spoken = { id: 'audio_1', data: 'UklGRg==', expires_at: 1_790_000_000, transcript: 'Yes.' };
const asked = {
  model: 'test/audio',
  modalities: ['text' as const, 'audio' as const],
  audio: { voice: 'alloy', format: 'wav' as const },
  messages: [
    {
      role: 'user' as const,
      content: [
        { type: 'text' as const, text: 'word '.repeat(1_000) },
        {
          type: 'input_audio' as const,
          input_audio: { data: Buffer.from(wavOf(2)).toString('base64'), format: 'wav' as const },
        },
      ],
    },
  ],
};

const spokenTo = { ...asked, messages: [{ role: 'user', content: 'Speak.' }] };

/** Of audio, in base64. */
const second = Buffer.alloc(48_000).toString('base64');
const tokensPerSecond = 20;
const tokensIn = (base64Bytes: number) => (base64Bytes / second.length) * tokensPerSecond;

interface Sending {
  readonly path?: string;
  readonly signal?: AbortSignal;
}

const send = (customer: Customer, body: object, { path = '/v1/chat/completions', signal }: Sending = {}) =>
  fetch(`${proxy.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.proxyKey}` },
    body: JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  });

describe('audio in a chat completion', () => {
  test('is passed on in both directions, and each class of tokens has its price', async () => {
    const { customer, client } = await newCustomer('1000');
    let expected = 0n;
    const property = fc.asyncProperty(counts, fc.boolean(), async (used, isStream) => {
      const usage = usageOf(used);
      provider.on(
        'upstream-audio',
        isStream
          ? deltasResponse(
              [{ audio: { id: 'audio_1', transcript: 'Yes.' } }, { audio: { data: 'UklGRg==' } }],
              'stop',
              usage,
            )
          : messageResponse({ content: null, audio: spoken }, 'stop', usage),
      );
      expected += costOf(used);
      const reported = isStream ? await streamed(client) : await whole(client);
      expect(reported).toMatchObject({
        ...{ prompt_tokens: used.prompt, completion_tokens: used.completion },
        prompt_tokens_details: { cached_tokens: used.cached, ...(used.audioIn > 0 && { audio_tokens: used.audioIn }) },
        completion_tokens_details: {
          reasoning_tokens: used.reasoning,
          ...(used.audioOut > 0 && { audio_tokens: used.audioOut }),
        },
      });
      expect(Number(reported.cost) * 1e9).toBeCloseTo(Number(costOf(used)), 3);
      const { modalities, audio } = provider.requests.at(-1)?.body ?? {};
      expect({ modalities, audio }).toEqual({ modalities: asked.modalities, audio: asked.audio });
    });
    await fc.assert(property, { numRuns: 60 });
    expect(await spentAtRest(harness, customer.accountId)).toBe(expected);
  });

  test('is on the receipt', async () => {
    const { customer, client } = await newCustomer();
    const used = { prompt: 100, cached: 20, audioIn: 30, completion: 50, reasoning: 5, audioOut: 40 };
    provider.on('upstream-audio', messageResponse({ content: null, audio: spoken }, 'stop', usageOf(used)));
    const { response } = await client.chat.completions.create(asked).withResponse();
    expect(await spentAtRest(harness, customer.accountId)).toBe(costOf(used));
    const receipt = await receiptOf(customer, response);
    expect(receipt).toMatchObject({ audioPromptTokens: 30, audioCompletionTokens: 40, imagePromptTokens: 0 });
    expect(receipt.cost.parts).toContainEqual({
      ...{ class: 'audioPrompt', tokens: 30, perMillionTokens: '32', amount: '0.00096' },
    });
    expect(receipt.cost.parts).toContainEqual({
      ...{ class: 'audioCompletion', tokens: 40, perMillionTokens: '64', amount: '0.00256' },
    });
  });

  test('is held at its price, and read to its end where its client hangs up', async () => {
    const { customer } = await newCustomer();
    const used = { prompt: 10, cached: 0, audioIn: 10, completion: 300, reasoning: 0, audioOut: 300 };
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    const chunks = [chunkOf({ audio: { id: 'audio_1', data: 'UklGRg==' } }), chunkOf({}, 'stop')];
    const events = [...chunks, { ...chunkOf({}), choices: [], usage: usageOf(used) }];
    provider.on('upstream-audio', () => {
      const lines = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
      const body = new ReadableStream({
        async start(controller) {
          controller.enqueue(new TextEncoder().encode(lines[0]));
          await left;
          controller.enqueue(new TextEncoder().encode(`${lines.slice(1).join('')}data: [DONE]\n\n`));
          controller.close();
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    });
    const leaving = new AbortController();
    const body = { ...asked, audio: { voice: 'alloy', format: 'pcm16' }, max_tokens: 1_000, stream: true };
    const quote = await send(customer, body, { path: '/v1/quote' });
    expect(((await quote.json()) as { max_cost: number }).max_cost).toBeGreaterThanOrEqual(1_000 * 0.000064);
    const response = await send(customer, body, { signal: leaving.signal });
    expect(response.status).toBe(200);
    await response.body?.getReader().read();
    leaving.abort();
    leave();
    const spent = await waitFor('the charge', guardTimeoutMs, async () => {
      const spentNow = await spentAtRest(harness, customer.accountId);
      return spentNow > 0n && spentNow;
    });
    expect(spent).toBe(costOf(used));
  });

  test('is charged as far as it was received, where a provider sends more than is read to its end', async () => {
    const { customer } = await newCustomer();
    const { response, ended } = await hangUp(customer, { max_tokens: 4_000 });
    await ended;
    const { promptTokens, completionTokens, audioCompletionTokens } = await receiptOf(customer, response);
    expect(promptTokens).toBeGreaterThan(0);
    // 8 MiB of events are read after the client has left.
    expect(audioCompletionTokens).toBeGreaterThan(0.98 * tokensIn(8 * 1024 ** 2));
    expect(audioCompletionTokens).toBeLessThan(1.1 * tokensIn(8 * 1024 ** 2));
    expect(completionTokens).toBe(audioCompletionTokens);
    const expected = [[promptTokens, 2_500] as const, [audioCompletionTokens, 64_000] as const];
    expect(await spentAtRest(harness, customer.accountId)).toBe(sumOf(expected));
  });

  test('costs nearly all of its hold, and no more, where a provider sends more than the balance covers', async () => {
    const { customer } = await newCustomer('0.12');
    const { ended } = await hangUp(customer);
    await ended;
    const spent = await spentAtRest(harness, customer.accountId);
    expect(spent).toBeGreaterThan(100_000_000n);
    expect(spent).toBeLessThanOrEqual(120_000_000n);
  });

  test.each([true, false])('is estimated by its length where no usage is reported (stream: %p)', async (stream) => {
    const { customer } = await newCustomer();
    const audio = { ...spoken, data: second };
    const message = messageResponse({ content: null, audio }, 'stop', {});
    provider.on(
      'upstream-audio',
      stream ? deltasResponse([{ audio }, { audio: { data: second } }], 'stop', {}) : message,
    );
    const body = { ...spokenTo, audio: { voice: 'alloy', format: 'pcm16' }, stream };
    const response = await send(customer, body);
    await response.text();
    const receipt = await receiptOf(customer, response);
    const tokens = stream ? 2 * tokensPerSecond : tokensPerSecond;
    expect(receipt).toMatchObject({ audioCompletionTokens: tokens, completionTokens: tokens + 2 });
  });

  test.each([
    ['a model without a price for it', { model: 'test/text' }, 'audio'],
    ['a model of Gemini', { model: 'test/gemini' }, 'audio'],
    ['a model without a price for it, named by its modality', { model: 'test/text', audio: undefined }, 'modalities'],
    ['another modality', { modalities: ['video'] }, 'modalities'],
  ])('is refused for %s', async (_, change, param) => {
    const { customer } = await newCustomer();
    const response = await send(customer, { ...asked, ...change });
    const { error } = (await response.json()) as { error: { code: string; param: string } };
    expect([response.status, error.code, error.param]).toEqual([400, 'unsupported_parameter', param]);
    expect(await spentAtRest(harness, customer.accountId)).toBe(0n);
  });

  test('that Gemini counts in the prompt has its price', async () => {
    const { customer, client } = await newCustomer('100');
    let expected = 0n;
    const property = fc.asyncProperty(counts, async ({ prompt, cached, audioIn, completion }) => {
      const usageMetadata = {
        ...{ promptTokenCount: prompt, candidatesTokenCount: completion, totalTokenCount: prompt + completion },
        ...(cached > 0 && { cachedContentTokenCount: cached }),
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: prompt - audioIn },
          ...(audioIn > 0 ? [{ modality: 'AUDIO', tokenCount: audioIn }] : []),
        ],
      };
      const candidates = [{ index: 0, content: { role: 'model', parts: [{ text: 'Yes.' }] }, finishReason: 'STOP' }];
      provider.on('upstream-gemini', rawResponse(JSON.stringify({ candidates, usageMetadata })));
      const { messages } = asked;
      await client.chat.completions.create({ model: 'test/gemini', messages, max_tokens: 400 });
      expected += sumOf([
        [prompt - cached - audioIn, 300],
        [cached, 75],
        [audioIn, 1_000],
        [completion, 2_500],
      ]);
    });
    await fc.assert(property, { numRuns: 30 });
    expect(await spentAtRest(harness, customer.accountId)).toBe(expected);
  });
});

test('the audio of a recording has a price beside the text of its prompt', async () => {
  const { customer, client } = await newCustomer();
  const usage = {
    ...{ type: 'tokens', input_tokens: 90, output_tokens: 20, total_tokens: 110 },
    input_token_details: { text_tokens: 10, audio_tokens: 80 },
  };
  provider.on('upstream-listener', rawResponse(JSON.stringify({ text: 'Hello.', usage })));
  await client.audio.transcriptions.create({ model: 'test/listener', file: await toFile(wavOf(8), 'a.wav') });
  expect(await spentAtRest(harness, customer.accountId)).toBe(10n * 2_500n + 80n * 6_000n + 20n * 10_000n);
});

test('images that others are made from have a price beside the text of the prompt', async () => {
  const { customer, client } = await newCustomer();
  const usage = { ...imageUsage, input_tokens: 105, input_tokens_details: { text_tokens: 5, image_tokens: 100 } };
  provider.on('upstream-painter', imagesResponse(1, { usage }));
  const image = await toFile(Buffer.from('iVBORw0KGgoAAAANSUhEUgAA', 'base64'), 'a.png', { type: 'image/png' });
  await client.images.edit({ model: 'test/painter', prompt: 'A hat', image });
  expect(await spentAtRest(harness, customer.accountId)).toBe(40_000_000n + 5n * 5_000n + 100n * 10_000n);
});

/** Asks for audio of a provider that does not stop, and leaves. */
async function hangUp(customer: Customer, settings: object = {}) {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  provider.on('upstream-audio', () => {
    const event = new TextEncoder().encode(`data: ${JSON.stringify(chunkOf({ audio: { data: second } }))}\n\n`);
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(event),
      pull: (controller) => left.then(() => controller.enqueue(event)),
      cancel: () => end(),
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  });
  const leaving = new AbortController();
  const body = { ...spokenTo, audio: { voice: 'alloy', format: 'pcm16' }, stream: true, ...settings };
  const response = await send(customer, body, { signal: leaving.signal });
  expect(response.status).toBe(200);
  await response.body?.getReader().read();
  leaving.abort();
  // By then the proxy has noticed that the client has left, which no event reports.
  await fetch(`${proxy.url}/healthz`);
  leave();
  return { response, ended };
}

async function whole(client: OpenAI) {
  const { choices, usage } = await client.chat.completions.create(asked);
  expect(choices[0]?.message.audio).toEqual(spoken);
  return usage as unknown as Readonly<Record<string, unknown>>;
}

async function streamed(client: OpenAI) {
  const stream = await client.chat.completions.create({
    ...asked,
    ...{ stream: true, stream_options: { include_usage: true } },
  });
  const audio: object[] = [];
  let usage: unknown;
  for await (const chunk of stream) {
    // The client's types do not have it yet.
    const { audio: part } = (chunk.choices[0]?.delta ?? {}) as { audio?: object };
    if (part !== undefined) audio.push(part);
    usage = chunk.usage ?? usage;
  }
  expect(audio).toEqual([{ id: 'audio_1', transcript: 'Yes.' }, { data: 'UklGRg==' }]);
  return usage as Readonly<Record<string, unknown>>;
}

interface Receipt {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly audioCompletionTokens: number;
  readonly cost: { readonly parts: readonly object[] };
}

const receiptOf = async (customer: Customer, response: Response) => {
  const account = await logIn(admin, customer);
  const path = `/api/requests/${response.headers.get('x-request-id')}`;
  return waitFor('the receipt', guardTimeoutMs, () => account.get<Receipt>(path).catch(() => undefined));
};
