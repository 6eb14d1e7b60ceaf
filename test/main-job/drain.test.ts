/** A proxy that is told to end: what runs may end by itself, and what does not is ended and charged exactly. */
import { afterAll, expect, test } from 'bun:test';
import { waitFor } from '../harness/account-view.ts';
import { chat, errorCodeOf } from '../harness/chat.ts';
import { startGateway } from '../harness/gateway.ts';
import { answerStream, hang } from '../harness/scripted-provider.ts';
import { spentAtRest } from '../harness/spent-at-rest.ts';

const { harness, provider, proxy, stop } = await startGateway();

afterAll(stop);

/** 10 micro-dollars. */
const tokenNano = 10_000n;
const streamed = { model: 'test/priced-output', stream: true, max_tokens: 2_000 };
const tokensIn = (text: string) => BigInt([...text.matchAll(/"content":"\d/g)].length);

test('a stream that ends in time is whole; longer ones end with shutting_down and pay for what was delivered; an answer that has not begun is a 503 and free', async () => {
  const [inTime, endless, waiting] = await Promise.all([1, 2, 3].map(() => harness.createCustomer({ usd: '1' })));
  if (!inTime || !endless || !waiting) throw new Error('there are not three customers');

  let letGo = () => {};
  const released = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  provider.on('upstream-priced', async (truth, request) => {
    if (truth.prompt === 'Short?') await released;
    return answerStream({ tokens: truth.prompt === 'Short?' ? 20 : 2_000, delayMs: 50 })(truth, request);
  });
  provider.on('upstream-chat', hang);
  const asked = provider.requests.length;
  const short = chat(proxy, inTime.proxyKey, { ...streamed, messages: [{ role: 'user', content: 'Short?' }] });
  const long = await chat(proxy, endless.proxyKey, streamed);
  const unbegun = chat(proxy, waiting.proxyKey, { model: 'test/chat' });
  await waitFor('three requests upstream', 5_000, async () => provider.requests.length === asked + 3);

  process.kill(proxy.pid, 'SIGTERM');
  await waitFor('the end of new requests', 5_000, async () => {
    const status = await fetch(`${proxy.url}/readyz`).then(
      (answer) => answer.status,
      () => 'refused',
    );
    return status !== 200;
  });
  letGo();

  const whole = await (await short).text();
  expect(whole).toEndWith('data: [DONE]\n\n');
  expect(tokensIn(whole)).toBe(20n);

  const [cut, refused] = await Promise.all([long.text(), unbegun]);
  expect(cut).not.toContain('[DONE]');
  const last = cut.trim().split('\n\n').at(-1) ?? '';
  expect(JSON.parse(last.replace('data: ', ''))).toMatchObject({
    error: { code: 'shutting_down', type: 'service_unavailable_error' },
  });
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await errorCodeOf(refused)).toBe('shutting_down');
  await waitFor(
    'the aborts upstream',
    5_000,
    async () => provider.requests.filter(({ aborted }) => aborted).length === 2,
  );
  expect(await proxy.exited).toBe('exit code 0');

  expect(await spentAtRest(harness, inTime.accountId)).toBe(20n * tokenNano);
  expect(await spentAtRest(harness, endless.accountId)).toBe(tokensIn(cut) * tokenNano);
  expect(await spentAtRest(harness, waiting.accountId)).toBe(0n);
}, 90_000);
