/** A provider like GigaChat through the real gateway: tokens instead of a key, and its own root certificate. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { usageOf } from '../../../../local/demo-provider/usage.ts';
import { guardTimeoutMs, readLedger, waitFor } from '../../../harness/account-view.ts';
import { chat } from '../../../harness/clients/chat.ts';
import { makeOwnRoot, type OwnRoot, opensslMissing } from '../../../harness/own-root.ts';
import type { Served } from '../../../harness/programs.ts';
import { messageResponse } from '../../../harness/providers/completions.ts';
import {
  failWith,
  type ScriptedProvider,
  startScriptedProvider,
  type Truth,
} from '../../../harness/providers/scripted-provider.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { startTokenServer, type TokenServer } from './token-server.ts';

const authorizationOf = ({ headers }: Truth) => headers.get('authorization');
const key = btoa('client-id:client-secret');

describe.skipIf(opensslMissing)('a provider with tokens and its own root certificate', () => {
  let root: OwnRoot;
  let harness: Harness;
  let tokens: TokenServer;
  let api: ScriptedProvider;
  /** The one token that the provider accepts. */
  let accepted = 'Bearer token-1';
  let proxy: Served;

  beforeAll(async () => {
    root = makeOwnRoot();
    harness = await startHarness();
    tokens = startTokenServer({ tls: root.tls });
    api = startScriptedProvider({ tls: root.tls });
    const well = messageResponse({ content: 'Привет.' }, 'stop', usageOf(4, 8));
    api.on('GigaChat', (truth, request) =>
      (authorizationOf(truth) === accepted ? well : failWith(401, 'bad token'))(truth, request),
    );
    await harness.applyCatalogue(catalogue({ apiUrl: api.baseUrl, tokenUrl: tokens.url, caFile: root.caFile }));
    await harness.openAdmin();
    proxy = await harness.openProxy({ GIGACHAT_API_KEY: key });
  });
  afterAll(async () => {
    await Promise.all([tokens.stop(), api.stop()]);
    await harness.stop();
    rmSync(root.directory, { recursive: true, force: true });
  });

  async function ask(model: string) {
    const customer = await harness.createCustomer({ usd: '1' });
    const response = await chat(proxy, customer.proxyKey, { model });
    return { customer, status: response.status, text: await response.text() };
  }

  /** The hold is released after the response, so the balance is complete only a moment later. */
  async function waitForWholeBalance(accountId: number): Promise<void> {
    await waitFor('the hold to be released', guardTimeoutMs, async () => {
      const wallet = await harness.keeper.readWallet(accountId);
      return wallet?.availableNano === 1_000_000_000n;
    });
  }

  test('gets a token that was fetched with the key, once for many requests', async () => {
    const responses = await Promise.all(Array.from({ length: 8 }, () => ask('gigachat/lite')));
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(api.requests.map(authorizationOf))).toEqual(new Set(['Bearer token-1']));
    expect(tokens.requests).toHaveLength(1);
    expect(tokens.requests[0]?.headers.get('authorization')).toBe(`Basic ${key}`);
    await waitFor('the charge', guardTimeoutMs, async () => {
      const { spentNano } = await readLedger(harness, responses[0]?.customer.accountId ?? 0);
      return spentNano === 12_000n;
    });
  });

  test('a provider that has revoked its token gets a retry with a new one', async () => {
    accepted = 'Bearer token-2';
    const requestsBefore = api.requests.length;
    expect((await ask('gigachat/lite')).status).toBe(200);
    expect(api.requests.slice(requestsBefore).map(authorizationOf)).toEqual(['Bearer token-1', 'Bearer token-2']);
    expect(tokens.requests).toHaveLength(2);
    expect((await ask('gigachat/lite')).status).toBe(200);
    expect(tokens.requests).toHaveLength(2);
  });

  test('is unreachable without that root certificate', async () => {
    const { status, customer } = await ask('gigachat/untrusted');
    expect(status).toBeGreaterThanOrEqual(502);
    await waitForWholeBalance(customer.accountId);
  });

  test('a provider that refuses every token costs the customer nothing, and is not disclosed', async () => {
    accepted = 'nothing';
    const { status, text, customer } = await ask('gigachat/lite');
    expect(status).toBe(502);
    expect(text).not.toContain('token');
    await waitForWholeBalance(customer.accountId);
  });
});

/** One micro-dollar per token. */
function catalogue({ apiUrl, tokenUrl, caFile }: { apiUrl: string; tokenUrl: string; caFile: string }): string {
  const model = (id: string, provider: string) => `
  - id: ${id}
    kind: chat
    ownedBy: sber
    contextTokens: 32768
    maxOutputTokens: 2048
    price: { prompt: "1", completion: "1" }
    deployments: [{ provider: ${provider}, model: GigaChat }]`;
  const provider = (id: string, more: string) => `
  - id: ${id}
    protocol: openai
    baseUrl: "${apiUrl}"
    apiKeyEnv: GIGACHAT_API_KEY
    auth: { type: oauth, tokenUrl: "${tokenUrl}", scope: GIGACHAT_API_PERS }${more}`;
  return `
markup: "1"
providers:${provider('gigachat', `\n    caFile: ${caFile}`)}${provider('untrusted', '')}
models:${model('gigachat/lite', 'gigachat')}${model('gigachat/untrusted', 'untrusted')}
`;
}
