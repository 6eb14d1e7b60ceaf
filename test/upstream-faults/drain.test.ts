/**
 * Clients that leave a provider which bills the whole response anyway, or while a whole response is generated: the
 * response is read to its end, so that the charge is exact. Other streams are aborted, and so are whole responses
 * beyond the limit.
 */
import { afterAll, expect, test } from 'bun:test';
import { eventOf } from '../../local/demo-provider/event-stream.ts';
import { initialSpeed } from '../../proxy/pricing/output-speed.ts';
import { abandonedResponsesMax } from '../../proxy/request/response/abandoned-responses.ts';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { spentAtRest } from '../harness/books.ts';
import { chat } from '../harness/clients/chat.ts';
import { chunkOf } from '../harness/providers/chunks.ts';
import { Gigabyte } from '../harness/providers/gigabyte.ts';
import {
  type Behaviour,
  eventStream,
  failWith,
  hang,
  streamedResponse,
  type Truth,
  wholeResponse,
} from '../harness/providers/scripted-provider.ts';
import { estimatedPromptNano, outputNano, promptNano, startFaultGateway } from './fault-gateway.ts';

const { harness, proxy, customer, scripted, stop } = await startFaultGateway();

afterAll(stop);

const body = { model: 'fault/drained', max_tokens: 1000 };

/** The provider responds once the test lets it. */
function onceReleased(behaviour: Behaviour): { behaviour: Behaviour; letGo: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    behaviour: async (truth, request) => {
      await promise;
      return behaviour(truth, request);
    },
    letGo: resolve,
  };
}

/** Leaves as soon as the provider has the request and Redis has its hold: the provider may be called first. */
async function leaveAtOnce(request: Readonly<Record<string, unknown>>, on = proxy): Promise<Truth> {
  const requestsBefore = scripted.requests.length;
  const leaving = new AbortController();
  const response = chat(on, customer.proxyKey, request, { signal: leaving.signal });
  const truth = await waitFor('the request upstream', guardTimeoutMs, async () => scripted.requests[requestsBefore]);
  await waitFor('the hold', guardTimeoutMs, async () => {
    const wallet = await harness.keeper.readWallet(customer.accountId);
    return wallet !== undefined && wallet.heldNano > 0n;
  });
  leaving.abort();
  await response.catch(() => {});
  return truth;
}

test('a stream whose client leaves is read to its end, and its usage charged', async () => {
  const before = await spentAtRest(harness, customer.accountId);
  scripted.on('faulty', streamedResponse({ tokens: 100, delayMs: 5, promptTokens: 7 }));
  const leaving = new AbortController();
  const response = await chat(proxy, customer.proxyKey, { ...body, stream: true }, { signal: leaving.signal });
  await response.body?.getReader().read();
  leaving.abort();
  const spent = (await spentAtRest(harness, customer.accountId)) - before;
  expect(spent).toBe(7n * promptNano + 100n * outputNano);
  expect(scripted.requests.at(-1)).toMatchObject({ deliveredTokens: 100, ended: true, aborted: false });
});

test('a response whose client leaves before the headers is awaited and charged, streamed or not', async () => {
  const responses = [
    { stream: true, behaviour: streamedResponse({ tokens: 20, promptTokens: 7 }) },
    { stream: false, behaviour: wholeResponse({ usage: { promptTokens: 7, completionTokens: 20 } }) },
  ];
  for (const { stream, behaviour } of responses) {
    const before = await spentAtRest(harness, customer.accountId);
    const held = onceReleased(behaviour);
    scripted.on('faulty', held.behaviour);
    const truth = await leaveAtOnce({ ...body, stream });
    held.letGo();
    const spent = (await spentAtRest(harness, customer.accountId)) - before;
    expect([stream, spent]).toEqual([stream, 7n * promptNano + 20n * outputNano]);
    expect(truth).toMatchObject({ ended: true, aborted: false });
  }
});

test('a whole response whose client leaves is read to its end from any provider, and its usage charged', async () => {
  const before = await spentAtRest(harness, customer.accountId);
  const held = onceReleased(wholeResponse({ usage: { promptTokens: 7, completionTokens: 20 } }));
  scripted.on('faulty', held.behaviour);
  const truth = await leaveAtOnce({ ...body, model: 'fault/scripted' });
  held.letGo();
  expect((await spentAtRest(harness, customer.accountId)) - before).toBe(7n * promptNano + 20n * outputNano);
  expect(truth).toMatchObject({ ended: true, aborted: false });
});

test('whole responses beyond the limit whose clients leave are aborted, and charged by their time', async () => {
  const { accountId, proxyKey } = await harness.createCustomer({ usd: '10' });
  const held = onceReleased(wholeResponse({ usage: { promptTokens: 7, completionTokens: 20 } }));
  // A deployment whose speed no other test has taught.
  scripted.on('timed', (truth, request) => {
    return Promise.race([held.behaviour(truth, request), hang(truth, request)]);
  });
  const requestsBefore = scripted.requests.length;
  const count = abandonedResponsesMax.account + 3;
  const leaving = new AbortController();
  const startedAtMs = performance.now();
  const responses = Array.from({ length: count }, () =>
    chat(proxy, proxyKey, { ...body, model: 'fault/timed' }, { signal: leaving.signal }).catch(() => {}),
  );
  await waitFor(
    'the requests upstream',
    guardTimeoutMs,
    async () => scripted.requests.length === requestsBefore + count,
  );
  const sentAtMs = performance.now();
  // Each of the three must have an output of some tokens.
  await Bun.sleep(200);
  const leftAfterMs = performance.now() - sentAtMs;
  leaving.abort();
  await Promise.all(responses);
  const aborted = () => scripted.requests.slice(requestsBefore).filter((truth) => truth.aborted);
  await waitFor('the aborts upstream', guardTimeoutMs, async () => aborted().length === 3);
  held.letGo();
  const spent = await spentAtRest(harness, accountId);
  const totalMs = performance.now() - startedAtMs;
  expect(aborted()).toHaveLength(3);
  const byTime =
    spent - BigInt(abandonedResponsesMax.account) * (7n * promptNano + 20n * outputNano) - 3n * estimatedPromptNano;
  const tokensIn = (ms: number) => BigInt(Math.floor((initialSpeed * ms) / 1_000));
  expect(byTime).toBeGreaterThanOrEqual(3n * tokensIn(leftAfterMs) * outputNano);
  expect(byTime).toBeLessThanOrEqual(3n * tokensIn(totalMs) * outputNano);
});

test('a provider that fails after the client left charges nothing, and no other provider is called', async () => {
  const before = await spentAtRest(harness, customer.accountId);
  const requestsBefore = scripted.requests.length;
  const held = onceReleased(failWith(500, 'down'));
  scripted.on('faulty', held.behaviour);
  await leaveAtOnce(body);
  held.letGo();
  expect((await spentAtRest(harness, customer.accountId)) - before).toBe(0n);
  expect(scripted.requests.length - requestsBefore).toBe(1);
});

test('an endless stream whose client leaves is read for only a few more megabytes', async () => {
  const before = await spentAtRest(harness, customer.accountId);
  const endless = new Gigabyte(Buffer.from(eventOf(chunkOf({ padding: 'x'.repeat(60_000) }))));
  scripted.on('faulty', () => endless.response(eventStream));
  const leaving = new AbortController();
  const response = await chat(proxy, customer.proxyKey, { ...body, stream: true }, { signal: leaving.signal });
  await response.body?.getReader().read();
  leaving.abort();
  await waitFor('the abort upstream', guardTimeoutMs, async () => scripted.requests.at(-1)?.aborted === true);
  // None of it was output: the prompt is charged by its estimate.
  expect((await spentAtRest(harness, customer.accountId)) - before).toBe(8n * promptNano);
});

test('a proxy that shuts down waits for streams that are being drained', async () => {
  const before = await spentAtRest(harness, customer.accountId);
  const second = await harness.startProxy();
  const held = onceReleased(wholeResponse({ usage: { promptTokens: 7, completionTokens: 20 } }));
  scripted.on('faulty', held.behaviour);
  await leaveAtOnce(body, second);
  const stopped = second.stop();
  await waitFor('the drain', guardTimeoutMs, async () => {
    const ready = await fetch(`${second.url}/readyz`).catch(() => undefined);
    return ready?.ok !== true;
  });
  held.letGo();
  await stopped;
  expect((await spentAtRest(harness, customer.accountId)) - before).toBe(7n * promptNano + 20n * outputNano);
});
