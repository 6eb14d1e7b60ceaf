/**
 * Recorded responses of Gemini, through the adapter and the whole gateway: whole, split at every byte, and charged to
 * the last token. The recordings are next to the checkout; without them, these tests are skipped.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import OpenAI from 'openai';
import type { Usage } from '../../../proxy/nouns/usage.ts';
import { geminiAdapter } from '../../../proxy/providers/gemini/gemini-adapter.ts';
import { guardTimeoutMs, readLedger, waitFor } from '../../harness/account-view.ts';
import { chat as ask } from '../../harness/clients/chat.ts';
import { type Gateway, startGateway } from '../../harness/gateway.ts';
import { rawResponse } from '../../harness/providers/scripted-provider.ts';
import { chat, chatCall, targetOf } from '../providers/gemini/chat-call.ts';
import { eventsOf, finishesOf, runStream, stable, textOf } from '../providers/gemini/run-stream.ts';

const directory = join(import.meta.dir, '../../../../shared/recordings');
const missing = !existsSync(directory);
if (missing) console.info(`skipped what needs ${directory}, which is missing`);
const names = missing ? [] : readdirSync(directory).filter((name) => name.startsWith('google-'));
const textOfFile = (name: string) => readFileSync(join(directory, name), 'utf8');
const linesOf = (name: string) => textOfFile(name).trim().split('\n');
const streams = names.filter((name) => name.endsWith('.chunks.txt'));
const bodies = names.filter((name) => name.endsWith('.json') && !textOfFile(name).includes('"error"'));

/** The counts of the last event, entered by hand. */
function countsOf(recorded: string): Pick<Usage, 'promptTokens' | 'completionTokens'> {
  const { usageMetadata: counts } = JSON.parse(recorded);
  return {
    promptTokens: counts.promptTokenCount,
    completionTokens: counts.candidatesTokenCount + (counts.thoughtsTokenCount ?? 0),
  };
}

describe.skipIf(missing)('a recorded response of Gemini through the adapter', () => {
  test.each(streams)('%s is the same when whole, split at every byte, and byte by byte', (name) => {
    const lines = linesOf(name);
    const whole = eventsOf(lines);
    const outcome = runStream([whole]);
    expect(outcome).toMatchObject({ complete: true, usage: countsOf(lines.at(-1) ?? '') });
    expect(finishesOf(outcome)).toHaveLength(1);
    const expected = JSON.stringify(stable(outcome));
    for (let offset = 1; offset < whole.length; offset += 1) {
      const split = runStream([whole.slice(0, offset), whole.slice(offset)]);
      expect(JSON.stringify(stable(split)) === expected).toBe(true);
    }
    expect(JSON.stringify(stable(runStream(Array.from(whole, (byte) => new Uint8Array([byte])))))).toBe(expected);
  });

  test.each(bodies)('%s is a chat completion', (name) => {
    const text = textOfFile(name);
    const body = chat.readBody(text, chatCall(), targetOf().deployment);
    expect(body.usage).toMatchObject(countsOf(text));
  });

  test('a stream’s text, thoughts and calls are the recorded ones', () => {
    const text = runStream([eventsOf(linesOf('google-text.chunks.txt'))]);
    expect(textOf(text)).toBe('There are **3** "r"s in strawberry.\n\nst**r**awbe**rr**y');
    expect(finishesOf(text)).toEqual(['stop']);
    expect(text.usage).toMatchObject({ promptTokens: 9, completionTokens: 208, reasoningTokens: 185 });
    const call = runStream([eventsOf(linesOf('google-tool-call.chunks.txt'))]);
    expect(finishesOf(call)).toEqual(['tool_calls']);
    expect(call.chunks[0]?.choices[0]?.delta.tool_calls?.[0]).toMatchObject({
      index: 0,
      function: { name: 'weather', arguments: '{"location":"San Francisco"}' },
      extra_content: { google: { thought_signature: expect.any(String) } },
    });
  });

  test('a recorded 429 of Gemini says when to retry', () => {
    expect(geminiAdapter.readFailure(textOfFile('google-429-retry-info.json'), new Headers())).toEqual({
      message: 'You exceeded your current quota, please check your plan.',
      retryAfterMs: 34_400,
    });
  });
});

/** Without markup: 2 and 12 micro-dollars per token. */
const catalogue = (baseUrl: string) => `
markup: "1"
providers:
  - { id: google, protocol: gemini, baseUrl: "${baseUrl}" }
models:
  - id: test/gemini
    kind: chat
    ownedBy: google
    contextTokens: 32768
    maxOutputTokens: 4096
    price: { prompt: "2", completion: "12" }
    deployments: [{ provider: google, model: gemini-3-pro-preview }]
  - id: test/gemini-embedding
    kind: embedding
    ownedBy: google
    contextTokens: 2048
    price: { prompt: "2" }
    deployments: [{ provider: google, model: gemini-embedding-001 }]
`;

describe.skipIf(missing)('Gemini through the gateway', () => {
  let gateway: Gateway;

  beforeAll(async () => {
    gateway = await startGateway({ catalogue });
  });
  afterAll(() => gateway.stop());

  async function spentBy(accountId: number, expectedNano: bigint): Promise<void> {
    await waitFor(`a charge of ${expectedNano}`, guardTimeoutMs, async () => {
      const { spentNano } = await readLedger(gateway.harness, accountId);
      return spentNano === expectedNano;
    });
  }

  const costOf = ({ promptTokens, completionTokens }: Pick<Usage, 'promptTokens' | 'completionTokens'>) =>
    BigInt(promptTokens) * 2_000n + BigInt(completionTokens) * 12_000n;

  test.each(streams)('%s is delivered whole and charged exactly', async (name) => {
    const lines = linesOf(name);
    gateway.provider.on('gemini-3-pro-preview', rawResponse(new Uint8Array(eventsOf(lines)), 'text/event-stream'));
    const customer = await gateway.harness.createCustomer({ usd: '1' });
    const response = await ask(gateway.proxy, customer.proxyKey, { model: 'test/gemini', stream: true });
    expect(await response.text()).toEndWith('data: [DONE]\n\n');
    await spentBy(customer.accountId, costOf(countsOf(lines.at(-1) ?? '')));
    expect(gateway.provider.requests.at(-1)?.path).toEndWith('/models/gemini-3-pro-preview:streamGenerateContent');
  });

  test.each(bodies)('%s is delivered whole and charged exactly', async (name) => {
    gateway.provider.on('gemini-3-pro-preview', rawResponse(textOfFile(name)));
    const customer = await gateway.harness.createCustomer({ usd: '1' });
    const response = await ask(gateway.proxy, customer.proxyKey, { model: 'test/gemini' });
    expect(response.status).toBe(200);
    await spentBy(customer.accountId, costOf(countsOf(textOfFile(name))));
  });

  test('the official client gets a call and sends its result back, with the signature', async () => {
    const customer = await gateway.harness.createCustomer({ usd: '1' });
    const client = new OpenAI({ baseURL: `${gateway.proxy.url}/v1`, apiKey: customer.proxyKey, maxRetries: 0 });
    gateway.provider.on(
      'gemini-3-pro-preview',
      rawResponse(new Uint8Array(eventsOf(linesOf('google-tool-call.chunks.txt'))), 'text/event-stream'),
    );
    const question = { role: 'user' as const, content: 'The weather in San Francisco?' };
    const stream = client.chat.completions.stream({ model: 'test/gemini', messages: [question] });
    const { message } = (await stream.finalChatCompletion()).choices[0] ?? {};
    const [call] = message?.tool_calls ?? [];
    if (message === undefined || call === undefined) throw new Error('no call');

    gateway.provider.on('gemini-3-pro-preview', rawResponse(textOfFile('google-text.json')));
    await client.chat.completions.create({
      model: 'test/gemini',
      messages: [question, message, { role: 'tool', tool_call_id: call.id, content: '{"degrees":18}' }],
    });
    const contents = gateway.provider.requests.at(-1)?.body.contents;
    expect(contents).toMatchObject([
      { role: 'user' },
      {
        role: 'model',
        parts: [
          {
            functionCall: { name: 'weather', args: { location: 'San Francisco' } },
            thoughtSignature: expect.stringMatching(/^EqUCCqICAb4/),
          },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { name: 'weather', response: { degrees: 18 } } }] },
    ]);
  });

  test('serves embeddings to the official client, which are charged by an estimate', async () => {
    const values = [0.5, -1, 0.25];
    gateway.provider.on('gemini-embedding-001', rawResponse(JSON.stringify({ embeddings: [{ values }] })));
    const customer = await gateway.harness.createCustomer({ usd: '1' });
    const client = new OpenAI({ baseURL: `${gateway.proxy.url}/v1`, apiKey: customer.proxyKey, maxRetries: 0 });
    const list = await client.embeddings.create({ model: 'test/gemini-embedding', input: 'Hello?', dimensions: 3 });
    expect([...(list.data[0]?.embedding ?? [])]).toEqual(values);
    expect(list.usage.prompt_tokens).toBeGreaterThan(0);
    await spentBy(customer.accountId, BigInt(list.usage.prompt_tokens) * 2_000n);
    expect(gateway.provider.requests.at(-1)?.path).toEndWith('/models/gemini-embedding-001:batchEmbedContents');
  });

  test('returns a malformed call as an error that costs nothing', async () => {
    const garbled = {
      candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', index: 0 }],
      usageMetadata: { promptTokenCount: 9 },
    };
    const customer = await gateway.harness.createCustomer({ usd: '1' });
    for (const stream of [false, true]) {
      const bytes = stream ? new Uint8Array(eventsOf([garbled])) : JSON.stringify(garbled);
      gateway.provider.on(
        'gemini-3-pro-preview',
        rawResponse(bytes, stream ? 'text/event-stream' : 'application/json'),
      );
      const response = await ask(gateway.proxy, customer.proxyKey, { model: 'test/gemini', stream });
      expect(response.status).toBe(502);
      expect(await response.text()).toContain('MALFORMED_FUNCTION_CALL');
    }
    await waitFor('the holds to be released', guardTimeoutMs, async () => {
      const wallet = await gateway.harness.keeper.readWallet(customer.accountId);
      return wallet?.availableNano === 1_000_000_000n;
    });
  });

  test('does not blame the client for an exhausted quota', async () => {
    const body = textOfFile('google-429-retry-info.json');
    gateway.provider.on('gemini-3-pro-preview', () => new Response(body, { status: 429 }));
    const customer = await gateway.harness.createCustomer({ usd: '1' });
    const response = await ask(gateway.proxy, customer.proxyKey, { model: 'test/gemini' });
    expect(response.status).toBeGreaterThanOrEqual(429);
    await response.text();
    await waitFor('the holds to be released', guardTimeoutMs, async () => {
      const wallet = await gateway.harness.keeper.readWallet(customer.accountId);
      return wallet?.availableNano === 1_000_000_000n;
    });
  });
});
