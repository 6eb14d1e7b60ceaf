/** More inputs than Google takes at a time: several requests to it, and one response and one charge for the client. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { asArray, asRecord } from '../../../../proxy/nouns/json/record.ts';
import { guardTimeoutMs, readLedger, waitFor } from '../../../harness/account-view.ts';
import { startGateway } from '../../../harness/gateway.ts';
import { type Behaviour, failWith, type Truth } from '../../../harness/providers/scripted-provider.ts';
import { readMetric } from '../../../harness/read-metric.ts';

const upstream = 'gemini-embedding-001';
/** Nano-dollars per token. */
const price = 2_000n;
const takenMax = 100;

const { harness, provider, proxy, stop } = await startGateway({
  catalogue: (baseUrl) => `
markup: "1"
providers:
  - { id: google, protocol: gemini, baseUrl: "${baseUrl}" }
models:
  - id: test/vectors
    kind: embedding
    ownedBy: google
    contextTokens: 2048
    dimensions: 2
    price: { prompt: "2" }
    deployments: [{ provider: google, model: ${upstream}, onDisconnect: abort }]
`,
});
const customer = await harness.createCustomer({ usd: '100' });

afterAll(stop);

let before = 0;
beforeEach(() => {
  before = provider.requests.length;
});

const sent = () => provider.requests.slice(before).map(textsOf);

function textsOf({ body }: Truth): string[] {
  return asArray(body.requests).map((request) =>
    String(asRecord(asArray(asRecord(asRecord(request).content).parts)[0]).text),
  );
}

/** The vector of `text 7` begins with 7; each text counts as 3 tokens. */
const embeds: Behaviour = (truth, request) => {
  const texts = textsOf(truth);
  if (texts.length > takenMax) return failWith(400, 'at most 100 requests can be in one batch')(truth, request);
  const embeddings = texts.map((text) => ({ values: [Number(/\d+/.exec(text)?.[0]), 0.5] }));
  return Response.json({ embeddings, usageMetadata: { promptTokenCount: 3 * texts.length } });
};

/** The second part does something else. */
const embedsExceptSecond =
  (behaviour: Behaviour): Behaviour =>
  (truth, request) =>
    (textsOf(truth)[0] === `text ${takenMax}` ? behaviour : embeds)(truth, request);

const lacksVector: Behaviour = async (truth, request) => {
  const { embeddings } = (await (await embeds(truth, request)).json()) as { embeddings: object[] };
  return Response.json({ embeddings: embeddings.slice(1) });
};

const inputsOf = (count: number, ending = '') => Array.from({ length: count }, (_, index) => `text ${index}${ending}`);

function ask(input: readonly string[], signal?: AbortSignal): Promise<Response> {
  return fetch(`${proxy.url}/v1/embeddings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.proxyKey}` },
    body: JSON.stringify({ model: 'test/vectors', input }),
    ...(signal && { signal }),
  });
}

const spent = async () => (await readLedger(harness, customer.accountId)).spentNano;

/** Once nothing is held, and all is booked. */
function spentAtRest(): Promise<bigint> {
  return waitFor('all charges', guardTimeoutMs, async () => {
    const wallet = await harness.keeper.readWallet(customer.accountId);
    const { balanceNano, spentNano } = await readLedger(harness, customer.accountId);
    return wallet?.heldNano === 0n && wallet.availableNano === balanceNano && spentNano;
  });
}

async function chargedAfter(act: () => Promise<void>): Promise<bigint> {
  const spentBefore = await spent();
  await act();
  return waitFor('the charge', guardTimeoutMs, async () => {
    const nano = (await spent()) - spentBefore;
    return nano > 0n && nano;
  });
}

test('any number of inputs has its vectors in order, and is charged once for all of them', async () => {
  provider.on(upstream, embeds);
  const property = fc.asyncProperty(fc.integer({ min: 1, max: 450 }), async (count) => {
    before = provider.requests.length;
    const charged = await chargedAfter(async () => {
      const response = await ask(inputsOf(count));
      expect(response.status).toBe(200);
      const { data, usage } = (await response.json()) as { data: { embedding: number[] }[]; usage: object };
      expect(data.map(({ embedding }) => embedding[0])).toEqual(Array.from({ length: count }, (_, index) => index));
      expect(usage).toMatchObject({ prompt_tokens: 3 * count });
    });
    expect(charged).toBe(BigInt(3 * count) * price);
    expect(sent().flat()).toEqual(inputsOf(count));
    expect(sent()).toHaveLength(Math.ceil(count / takenMax));
  });
  await fc.assert(property, { numRuns: 8, examples: [[100], [101], [200], [201]] });
});

test('a large body is divided like a small one', async () => {
  provider.on(upstream, embeds);
  const inputs = inputsOf(250, '.'.repeat(8_000));
  const response = await ask(inputs);
  const { data } = (await response.json()) as { data: { embedding: number[] }[] };
  expect(data.map(({ embedding }) => embedding[0])).toEqual(Array.from({ length: 250 }, (_, index) => index));
  expect(sent().flat()).toEqual(inputs);
});

describe('a part that fails', () => {
  test.each([
    ['is refused', { status: 400, requests: 2 }, failWith(400, 'The text is too long.')],
    ['lacks a vector', { status: 502, requests: 3 }, lacksVector],
  ])('makes the whole request fail, which costs nothing: it %s', async (_name, { status, requests }, fails) => {
    const spentBefore = await spentAtRest();
    provider.on(upstream, embedsExceptSecond(fails));
    const response = await ask(inputsOf(250));
    expect(response.status).toBe(status);
    expect(sent().flat()).toEqual(inputsOf(250).slice(0, requests * takenMax));
    expect(await spentAtRest()).toBe(spentBefore);
  });
});

test('a client that hangs up between two parts pays for all of them', async () => {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  provider.on(
    upstream,
    embedsExceptSecond(async (truth, request) => {
      arrived.resolve();
      await released.promise;
      return embeds(truth, request);
    }),
  );
  const charged = await chargedAfter(async () => {
    const leaving = new AbortController();
    const asked = ask(inputsOf(250), leaving.signal).catch(() => undefined);
    await Promise.race([arrived.promise, asked]);
    leaving.abort();
    await asked;
    await waitFor(
      'the proxy to notice',
      guardTimeoutMs,
      async () => (await readMetric(proxy, 'gateway_abandoned_answers')) > 0,
    );
    released.resolve();
  });
  expect(charged).toBe(750n * price);
  expect(sent().flat()).toEqual(inputsOf(250));
});
