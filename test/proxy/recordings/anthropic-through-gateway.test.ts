/** Recorded responses of Anthropic through the real gateway, charged exactly to the nano-dollar. */
import { afterAll, describe, expect, test } from 'bun:test';
import { guardTimeoutMs, readLedger, waitFor } from '../../harness/account-view.ts';
import { chat } from '../../harness/clients/chat.ts';
import { startGateway } from '../../harness/gateway.ts';
import { type Behaviour, byteByByte, eventStream, rawResponse } from '../../harness/providers/scripted-provider.ts';
import { assemble, chunksOf, framed, messageDelta, messageStart, run } from '../providers/anthropic/message-events.ts';
import { countsOf, eventsOf, fieldsOf, jsonToolOf, read, streamed, truthOf, whole } from './anthropic-recordings.ts';

const catalogueOf = (baseUrl: string) => `
markup: "1"
providers:
  - { id: anthropic, protocol: anthropic, baseUrl: "${baseUrl}" }
models:
  - id: test/claude
    kind: chat
    ownedBy: test
    contextTokens: 200000
    maxOutputTokens: 4096
    price: { prompt: "3", cachedPrompt: "0.30", cacheWrite: "3.75", completion: "15" }
    deployments: [{ provider: anthropic, model: claude-upstream }]
`;

/** Nano-dollars per token, for the prices above. */
const promptNano = 3_000n;
const completionNano = 15_000n;

const { harness, provider, proxy, stop } = await startGateway({ catalogue: catalogueOf });
const customer = await harness.createCustomer({ usd: '5' });

afterAll(stop);

describe('a recorded response of Anthropic through the gateway', () => {
  const asks = { model: 'test/claude', stream_options: { include_usage: true } };

  /** The nano-dollars that the ledger was charged during `ask`. */
  async function chargeOf(ask: () => Promise<void>): Promise<bigint> {
    const before = await readLedger(harness, customer.accountId);
    await ask();
    return waitFor('the charge', guardTimeoutMs, async () => {
      const wallet = await harness.keeper.readWallet(customer.accountId);
      const { balanceNano, spentNano } = await readLedger(harness, customer.accountId);
      const settled = wallet?.heldNano === 0n && balanceNano === wallet.availableNano;
      return settled && spentNano > before.spentNano ? spentNano - before.spentNano : undefined;
    });
  }

  for (const name of streamed) {
    test(`${name} is delivered whole and byte by byte, and charged exactly`, async () => {
      const { counts } = truthOf(name);
      const expected = assemble(run([framed(eventsOf(name))], { jsonTool: jsonToolOf(name) }).chunks);
      for (const behaviour of [
        rawResponse(ownBuffer(framed(eventsOf(name))), eventStream),
        byteByByte(framed(eventsOf(name))),
      ]) {
        provider.on('claude-upstream', behaviour);
        const charged = await chargeOf(async () => {
          const response = await chat(proxy, customer.proxyKey, { ...asks, ...fieldsOf(name), stream: true });
          const text = await response.text();
          expect(text).toEndWith('data: [DONE]\n\n');
          const chunks = chunksOf(text);
          expect(assemble(chunks)).toEqual(expected);
          expect(chunks.at(-1)).toMatchObject({
            choices: [],
            usage: { prompt_tokens: counts.prompt, completion_tokens: counts.completion },
          });
        });
        expect(charged).toBe(BigInt(counts.prompt) * promptNano + BigInt(counts.completion) * completionNano);
      }
    });
  }

  for (const name of whole) {
    test(`${name} is delivered and charged exactly`, async () => {
      provider.on('claude-upstream', rawResponse(read(name)));
      const { usage } = JSON.parse(read(name)) as { usage: Record<string, number> };
      const { prompt, completion } = countsOf(usage);
      const charged = await chargeOf(async () => {
        const response = await chat(proxy, customer.proxyKey, { model: 'test/claude', ...fieldsOf(name) });
        expect(response.status).toBe(200);
        expect(await response.json()).toMatchObject({
          object: 'chat.completion',
          usage: { prompt_tokens: prompt, completion_tokens: completion },
        });
      });
      expect(charged).toBe(BigInt(prompt) * promptNano + BigInt(completion) * completionNano);
      expect(provider.requests.at(-1)).toMatchObject({
        path: '/v1/messages',
        body: { model: 'claude-upstream', max_tokens: 4096 },
      });
    });
  }

  test('cached and cache-written prompt tokens are charged at their own prices', async () => {
    const usage = {
      input_tokens: 10,
      cache_creation_input_tokens: 200,
      cache_read_input_tokens: 1000,
      output_tokens: 1,
    };
    const events = [messageStart(usage), messageDelta('end_turn', { output_tokens: 7 }), { type: 'message_stop' }];
    provider.on('claude-upstream', rawResponse(ownBuffer(framed(events)), eventStream));
    const charged = await chargeOf(async () => {
      await (await chat(proxy, customer.proxyKey, { ...asks, stream: true })).text();
    });
    expect(charged).toBe(10n * promptNano + 200n * 3_750n + 1000n * 300n + 7n * completionNano);
  });

  test('parameters that Anthropic does not support are a 400 before anything is sent or charged', async () => {
    const requestsBefore = provider.requests.length;
    const response = await chat(proxy, customer.proxyKey, { model: 'test/claude', n: 2 });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'unsupported_parameter', param: 'n' } });
    expect(provider.requests).toHaveLength(requestsBefore);
    await waitFor('nothing held', guardTimeoutMs, async () => {
      return (await harness.keeper.readWallet(customer.accountId))?.heldNano === 0n;
    });
  });

  test('an overload is not the client’s fault, and an invalid request gets Anthropic’s message', async () => {
    const fails =
      (status: number, type: string, message: string): Behaviour =>
      () =>
        Response.json({ type: 'error', error: { type, message }, request_id: 'req_1' }, { status });
    provider.on('claude-upstream', fails(400, 'invalid_request_error', 'messages: too many images'));
    const wrong = await chat(proxy, customer.proxyKey, { model: 'test/claude' });
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toMatchObject({
      error: { code: 'upstream_rejected_request', message: 'messages: too many images' },
    });
    provider.on('claude-upstream', fails(400, 'invalid_request_error', 'Your credit balance is too low to access it.'));
    const unpaid = await chat(proxy, customer.proxyKey, { model: 'test/claude' });
    expect(unpaid.status).toBeGreaterThanOrEqual(502);
    expect(await unpaid.text()).not.toContain('credit');
    provider.on('claude-upstream', fails(529, 'overloaded_error', 'Overloaded'));
    expect((await chat(proxy, customer.proxyKey, { model: 'test/claude' })).status).toBeGreaterThanOrEqual(502);
  });
});

function ownBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
