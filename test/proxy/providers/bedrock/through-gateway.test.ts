/** Bedrock through the real gateway: signed requests, binary streams, and charges to the nano-dollar. */
import { afterAll, describe, expect, test } from 'bun:test';
import { parseUsd } from '../../../../shared/money.ts';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { readHolding } from '../../../harness/books.ts';
import { byteByByte, type Truth } from '../../../harness/providers/scripted-provider.ts';
import { assemble, chunksOf } from '../anthropic/message-events.ts';
import { signatureOf } from '../credentials/signature-of.ts';
import { everything, joined, messageStart, messageStop, metadata, text, usage } from './frames.ts';
import { eventStream, fails, modelId, price, signer, startStage, streams, streamsInTurn } from './stage.ts';

const { harness, provider, proxy, customer, stop, ask, askStream, chargeOf } = await startStage();

afterAll(stop);

function lastRequest(): Truth {
  const truth = provider.requests.at(-1);
  if (truth === undefined) throw new Error('nothing was asked');
  return truth;
}

test.each([
  ['in one chunk', streams(everything)],
  ['byte by byte', byteByByte(joined(everything), eventStream)],
])('a Bedrock stream that arrives %s is delivered whole, and every kind of token is charged', async (_, behaviour) => {
  provider.on(modelId, behaviour);
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
  expect(charged).toBe(
    12n * price.prompt + 1000n * price.cachedPrompt + 200n * price.cacheWrite + 80n * price.completion,
  );
});

test('a whole Bedrock response is delivered, and its receipt matches the ledger', async () => {
  const content = [{ text: 'Hello.' }, { toolUse: { toolUseId: 'tooluse_1', name: 'find', input: { q: 'x' } } }];
  provider.on(modelId, () =>
    Response.json({ output: { message: { role: 'assistant', content } }, stopReason: 'tool_use', usage }),
  );
  let cost: string | null = null;
  const charged = await chargeOf(async () => {
    const response = await ask({ max_tokens: 100 });
    cost = response.headers.get('x-cost-usd');
    expect(await response.json()).toMatchObject({
      choices: [{ message: { content: 'Hello.', tool_calls: [{ function: { arguments: '{"q":"x"}' } }] } }],
      usage: { prompt_tokens: 12, completion_tokens: 7 },
    });
  });
  expect(charged).toBe(12n * price.prompt + 7n * price.completion);
  expect<bigint>(parseUsd(String(cost))).toBe(charged);
  expect(lastRequest().body).toEqual({
    inferenceConfig: { maxTokens: 100 },
    messages: [{ role: 'user', content: [{ text: 'Hello?' }] }],
  });
});

test('the quoted amount is held while the request runs, and released except for the charge', async () => {
  const open = Promise.withResolvers<void>();
  const [beginning, rest] = [
    [messageStart, ...text(0, 'Hello.')],
    [messageStop('end_turn'), metadata(usage)],
  ];
  provider.on(modelId, streamsInTurn(beginning, { begun: open.promise, rest }));
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
    const response = await ask(body);
    await waitFor('the quoted amount to be held', guardTimeoutMs, () =>
      readHolding(harness, customer.accountId, parseUsd(maxCost)),
    );
    open.resolve();
    await response.text();
  });
  expect(charged).toBe(12n * price.prompt + 7n * price.completion);
});

describe('a request to Bedrock', () => {
  test.each([true, false])('is signed, whether it is streamed (%p) or not', async (stream) => {
    provider.on(modelId, fails(400, 'ValidationException', 'enough'));
    await ask({ stream, messages: [{ role: 'user', content: 'Grüße 👋' }] });
    const { path, headers, body } = lastRequest();
    expect(path).toEndWith(`/model/${encodeURIComponent(modelId)}/converse${stream ? '-stream' : ''}`);
    expect(headers.get('authorization')).toBe(signatureOf({ path, headers, body: JSON.stringify(body) }, signer));
  });

  test('has a key instead if the provider has one', async () => {
    provider.on('other', fails(400, 'ValidationException', 'enough'));
    await ask({ model: 'test/keyed' });
    expect(lastRequest().headers.get('authorization')).toBe('Bearer bedrock-key');
  });

  test('a request to Bedrock that Converse does not support returns 400 before anything is sent', async () => {
    const requestsBefore = provider.requests.length;
    const response = await ask({ n: 2 });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'unsupported_parameter', param: 'n' } });
    expect(provider.requests).toHaveLength(requestsBefore);
  });
});
