/** Bedrock through the real gateway: signed requests, binary streams, and charges to the nano-dollar. */
import { afterAll, describe, expect, test } from 'bun:test';
import { parseUsd } from '../../../../shared/money.ts';
import { readLedger, waitFor } from '../../../harness/account-view.ts';
import { chat, errorCodeOf } from '../../../harness/chat.ts';
import { startGateway } from '../../../harness/gateway.ts';
import type { Behaviour, Truth } from '../../../harness/scripted-provider.ts';
import { signatureOf } from '../../upstream/credentials/signature-of.ts';
import { assemble, chunksOf } from '../anthropic/message-events.ts';
import {
  callStart,
  delta,
  everything,
  exceptionFrame,
  joined,
  messageStart,
  messageStop,
  metadata,
  text,
  usage,
} from './frames.ts';

const modelId = 'eu.anthropic.claude-sonnet-4-20250514-v1:0';
const signer = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG', region: 'eu-central-1' };
const aws = '{ region: eu-central-1, accessKeyIdEnv: AWS_ACCESS_KEY_ID, secretAccessKeyEnv: AWS_SECRET_ACCESS_KEY }';
const price = 'price: { prompt: "3", cachedPrompt: "0.30", cacheWrite: "3.75", completion: "15" }';
const model = (id: string, deployments: string) => `
  - { id: test/${id}, kind: chat, ownedBy: test, contextTokens: 200000, maxOutputTokens: 4096, ${price},
      deployments: [${deployments}] }`;

const { harness, provider, proxy, stop } = await startGateway({
  catalogue: (baseUrl) => `
providers:
  - { id: signed, protocol: bedrock, baseUrl: "${baseUrl}", aws: ${aws} }
  - { id: keyed, protocol: bedrock, baseUrl: "${baseUrl}", apiKeyEnv: BEDROCK_API_KEY }
models:${model('claude', `{ provider: signed, model: "${modelId}" }`)}${model('keyed', '{ provider: keyed, model: other }')}${model(
    'both',
    '{ provider: signed, model: first, priority: 1 }, { provider: signed, model: second, priority: 2 }',
  )}
`,
  proxyEnvironment: {
    PROVIDER_KEYS: 'AWS_ACCESS_KEY_ID,AWS_SECRET_ACCESS_KEY',
    AWS_ACCESS_KEY_ID: signer.accessKeyId,
    AWS_SECRET_ACCESS_KEY: signer.secretAccessKey,
    BEDROCK_API_KEY: 'bedrock-key',
  },
});
const customer = await harness.createCustomer({ usd: '20' });

afterAll(stop);

const inEventStream = { headers: { 'content-type': 'application/vnd.amazon.eventstream' } };

function streams(frames: readonly Uint8Array[]): Behaviour {
  return () => new Response(joined(frames), inEventStream);
}

function byteByByte(frames: readonly Uint8Array[]): Behaviour {
  const bytes = joined(frames);
  return () => {
    let position = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(bytes.slice(position, position + 1));
        position += 1;
        if (position >= bytes.length) controller.close();
      },
    });
    return new Response(body, inEventStream);
  };
}

const fails =
  (status: number, type: string, message: string): Behaviour =>
  () =>
    Response.json({ message }, { status, headers: { 'x-amzn-errortype': type } });

const ask = (body: object) => chat(proxy, customer.proxyKey, { model: 'test/claude', ...body });
const askStream = (body: object = {}) => ask({ stream: true, stream_options: { include_usage: true }, ...body });

/** Nano-dollars that the ledger was charged by what `act` did, once nothing is held any more. */
async function chargeOf(act: () => Promise<void>): Promise<bigint> {
  const before = await readLedger(harness, customer.accountId);
  await act();
  return waitFor('the charge', 5_000, async () => {
    const wallet = await harness.keeper.readWallet(customer.accountId);
    const { balanceNano, spentNano } = await readLedger(harness, customer.accountId);
    const settled = wallet?.heldNano === 0n && balanceNano === wallet.availableNano;
    return settled && spentNano > before.spentNano ? spentNano - before.spentNano : undefined;
  });
}

/** Without the error that ends it. */
function answered(said: string) {
  return chunksOf(said).filter((chunk) => 'choices' in chunk);
}

function lastRequest(): Truth {
  const truth = provider.requests.at(-1);
  if (truth === undefined) throw new Error('nothing was asked');
  return truth;
}

test.each([
  ['at once', streams],
  ['byte by byte', byteByByte],
])('a stream that comes %s is delivered whole and charged by every kind of token', async (_, behaviour) => {
  provider.on(modelId, behaviour(everything));
  const charged = await chargeOf(async () => {
    const chunks = chunksOf(await (await askStream()).text());
    expect(assemble(chunks)).toMatchObject({
      content: 'Grüße, I call two.',
      reasoning: 'Let me see 👀.',
      calls: [
        { id: 'tooluse_1', name: 'weather', arguments: '{"place": "Oslo"}' },
        { id: 'tooluse_2', name: 'now', arguments: '{}' },
      ],
      finishReasons: ['tool_calls'],
    });
    expect(chunks.at(-1)).toMatchObject({
      usage: {
        prompt_tokens: 1212,
        completion_tokens: 80,
        prompt_tokens_details: { cached_tokens: 1000, cache_write_tokens: 200 },
        cost: 0.002286,
      },
    });
  });
  expect(charged).toBe(12n * 3_000n + 1000n * 300n + 200n * 3_750n + 80n * 15_000n);
});

test('a whole answer is delivered, and its receipt and the ledger say the same', async () => {
  const content = [{ text: 'Hello.' }, { toolUse: { toolUseId: 'tooluse_1', name: 'find', input: { q: 'x' } } }];
  provider.on(modelId, () =>
    Response.json({ output: { message: { role: 'assistant', content } }, stopReason: 'tool_use', usage }),
  );
  let cost: string | null = null;
  const charged = await chargeOf(async () => {
    const answer = await ask({ max_tokens: 100 });
    cost = answer.headers.get('x-cost-usd');
    expect(await answer.json()).toMatchObject({
      choices: [{ message: { content: 'Hello.', tool_calls: [{ function: { arguments: '{"q":"x"}' } }] } }],
      usage: { prompt_tokens: 12, completion_tokens: 7 },
    });
  });
  expect(charged).toBe(12n * 3_000n + 7n * 15_000n);
  expect<bigint>(parseUsd(String(cost))).toBe(charged);
  expect(lastRequest().body).toEqual({
    inferenceConfig: { maxTokens: 100 },
    messages: [{ role: 'user', content: [{ text: 'Hello?' }] }],
  });
});

test('what a quote says is held while the answer runs, and given back but for the charge', async () => {
  const open = Promise.withResolvers<void>();
  provider.on(modelId, () => {
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(joined([messageStart, ...text(0, 'Hello.')]));
        await open.promise;
        controller.enqueue(joined([messageStop('end_turn'), metadata(usage)]));
        controller.close();
      },
    });
    return new Response(body, inEventStream);
  });
  const body = {
    messages: [{ role: 'user', content: 'Hello?' }],
    model: 'test/claude',
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 50,
  };
  const quoted = await fetch(`${proxy.url}/v1/quote`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.proxyKey}` },
    body: JSON.stringify(body),
  });
  const [, maxCost = ''] = /"max_cost":([\d.]+)/.exec(await quoted.text()) ?? [];
  const charged = await chargeOf(async () => {
    const answer = await ask(body);
    expect((await harness.keeper.readWallet(customer.accountId))?.heldNano).toBe(parseUsd(maxCost));
    open.resolve();
    await answer.text();
  });
  expect(charged).toBe(12n * 3_000n + 7n * 15_000n);
});

describe('a request', () => {
  test.each([true, false])('is signed, whether it is streamed (%p) or not', async (stream) => {
    provider.on(modelId, fails(400, 'ValidationException', 'enough'));
    await ask({ stream, messages: [{ role: 'user', content: 'Grüße 👋' }] });
    const { path, headers, body } = lastRequest();
    expect(path).toEndWith(`/model/${encodeURIComponent(modelId)}/converse${stream ? '-stream' : ''}`);
    expect(headers.get('authorization')).toBe(signatureOf({ path, headers, body: JSON.stringify(body) }, signer));
  });

  test('carries a key instead where the provider has one', async () => {
    provider.on('other', fails(400, 'ValidationException', 'enough'));
    await ask({ model: 'test/keyed' });
    expect(lastRequest().headers.get('authorization')).toBe('Bearer bedrock-key');
  });

  test('that Converse cannot say is a 400 before anything is asked', async () => {
    const asked = provider.requests.length;
    const answer = await ask({ n: 2 });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: 'unsupported_parameter', param: 'n' } });
    expect(provider.requests).toHaveLength(asked);
  });
});

describe('a deployment that fails before its first output is followed by the next one', () => {
  const second = [messageStart, ...text(0, 'From the second.'), messageStop('end_turn'), metadata(usage)];

  test.each<[string, Behaviour]>([
    ['throttled', fails(429, 'ThrottlingException', 'Too many requests.')],
    ['whose model is not ready', fails(429, 'ModelNotReadyException', 'Loading.')],
    ['whose model has failed', fails(424, 'ModelErrorException', 'The model crashed.')],
    ['that denies access', fails(403, 'AccessDeniedException', 'account 123 has no access')],
    [
      'that throttles inside of the stream',
      streams([messageStart, exceptionFrame('throttlingException', 'Slow down.')]),
    ],
    ['whose stream is damaged from its first byte', () => new Response('not a frame at all', inEventStream)],
  ])('%s', async (_, behaviour) => {
    provider.on('first', behaviour);
    provider.on('second', streams(second));
    const charged = await chargeOf(async () => {
      const answer = await askStream({ model: 'test/both' });
      expect(assemble(chunksOf(await answer.text())).content).toBe('From the second.');
    });
    expect(charged).toBe(12n * 3_000n + 7n * 15_000n);
  });

  test('but not where the request is at fault', async () => {
    provider.on('first', fails(400, 'ValidationException', 'messages.0: too many images'));
    const asked = provider.requests.length;
    const answer = await askStream({ model: 'test/both' });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      error: { code: 'upstream_rejected_request', message: 'messages.0: too many images' },
    });
    expect(provider.requests.length - asked).toBe(1);
  });
});

describe('a stream that fails after its first output', () => {
  const words = Array.from({ length: 40 }, (_, index) => delta(0, { text: `${index} ` }));
  const damaged = delta(0, { text: 'changed' });
  damaged[damaged.byteLength - 6] = (damaged[damaged.byteLength - 6] ?? 0) ^ 1;

  test.each<[string, readonly Uint8Array[]]>([
    ['with an exception of the model', [exceptionFrame('modelStreamErrorException', 'The model crashed.')]],
    ['with a frame whose checksum is wrong', [damaged, messageStop('end_turn'), metadata(usage)]],
    ['without an end', []],
    ['in the middle of a frame', [messageStop('end_turn').subarray(0, 20)]],
  ])('%s is delivered and charged up to there', async (_, end) => {
    provider.on(modelId, streams([messageStart, ...words, ...end]));
    const charged = await chargeOf(async () => {
      const said = await (await askStream()).text();
      expect(assemble(answered(said)).content).toEndWith('39 ');
      expect(said).toContain('"code":"upstream_error"');
      expect(said).not.toContain('changed');
    });
    // By weight: forty numbers are forty tokens, and the prompt is a few.
    expect(charged).toBeGreaterThan(30n * 15_000n);
    expect(charged).toBeLessThan(60n * 15_000n);
  });

  test('a tool call that breaks off is not completed by the gateway', async () => {
    const call = [callStart(0, 'tooluse_1', 'find'), delta(0, { toolUse: { input: '{"q":' } })];
    provider.on(modelId, streams([messageStart, ...call, exceptionFrame('internalServerException', 'Oops.')]));
    await chargeOf(async () => {
      const said = await (await askStream()).text();
      expect(assemble(answered(said))).toMatchObject({ calls: [{ arguments: '{"q":' }], finishReasons: [] });
    });
  });
});

test('a customer who hangs up pays for what was delivered, and the provider is let go', async () => {
  const frames = [messageStart, ...Array.from({ length: 40 }, (_, index) => delta(0, { text: `${index} ` }))];
  const gone = Promise.withResolvers<void>();
  provider.on(modelId, (_, request) => {
    request.signal.addEventListener('abort', () => gone.resolve(), { once: true });
    const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(joined(frames)) });
    return new Response(body, inEventStream);
  });
  const charged = await chargeOf(async () => {
    const leaving = new AbortController();
    const options = { signal: leaving.signal };
    const answer = await chat(proxy, customer.proxyKey, { model: 'test/claude', stream: true }, options);
    await answer.body?.getReader().read();
    leaving.abort();
    await gone.promise;
  });
  expect(charged).toBeLessThan(60n * 15_000n);
});

test('an error tells a customer nothing of the account at the provider', async () => {
  provider.on(modelId, fails(403, 'AccessDeniedException', 'User: arn:aws:iam::123456789012:user/x is not authorized'));
  const answer = await ask({});
  expect(answer.status).toBe(502);
  const said = await answer.clone().text();
  expect(await errorCodeOf(answer)).toBe('upstream_error');
  expect(said).not.toContain('123456789012');
});
