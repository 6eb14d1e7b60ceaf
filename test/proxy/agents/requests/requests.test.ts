/**
 * What programs send by default that cannot be run here, through the real gateway to a scripted provider of each protocol: all of
 * it is accepted, what has an effect reaches the provider, and the program can read the response and is charged for it.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { spentAtRest } from '../../../harness/books.ts';
import { startGateway } from '../../../harness/gateway.ts';
import { respondInAnyProtocol } from '../../../harness/providers/any-protocol.ts';
import { aider } from './aider.ts';
import { callInAnyProtocol } from './call-in-any-protocol.ts';
import { cursor } from './cursor.ts';
import { libreChat } from './librechat.ts';
import { n8n } from './n8n.ts';
import { openWebUi } from './open-webui.ts';
import { readAnswer } from './read-answer.ts';
import type { Program, SentRequest } from './sent-request.ts';

const protocols = ['openai', 'anthropic', 'gemini', 'bedrock'] as const;
const programs = [aider, cursor, libreChat, n8n, openWebUi];

/** 10 prompt tokens of 1,000 nano-dollars and 2 output tokens of 2,000. */
const chargeOfEach = 14_000n;
const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12, cost: 0.000014 };

const { harness, provider, proxy, stop } = await startGateway({
  catalogue: (baseUrl) => `
markup: "1"
providers:${protocols
    .map(
      (protocol) => `
  - { id: of-${protocol}, protocol: ${protocol}, baseUrl: "${baseUrl}"${protocol === 'bedrock' ? ', apiKeyEnv: BEDROCK_API_KEY' : ''} }`,
    )
    .join('')}
models:${protocols
    .map(
      (protocol) => `
  - { id: test/${protocol}, kind: chat, ownedBy: test, contextTokens: 200000, maxOutputTokens: 32000,
      price: { prompt: "1", completion: "2", cacheWrite: "1.25" },
      deployments: [{ provider: of-${protocol}, model: upstream-${protocol} }] }`,
    )
    .join('')}
`,
  proxyEnvironment: { PROVIDER_KEYS: 'BEDROCK_API_KEY', BEDROCK_API_KEY: 'bedrock-key' },
});
afterAll(stop);

async function send({ headers }: Program, request: SentRequest, { model, key }: { model: string; key: string }) {
  const sentBefore = provider.requests.length;
  const response = await fetch(`${proxy.url}${request.path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, ...request.body }),
  });
  if (response.status !== 200) throw new Error(`${request.name}: ${response.status} ${await response.text()}`);
  return { response, sent: () => provider.requests.slice(sentBefore).map(({ text }) => text) };
}

describe.each(protocols)('over %s', (protocol) => {
  test.each(programs)('$name', async (program) => {
    const { accountId, proxyKey: key } = await harness.createCustomer({ usd: '5' });
    for (const request of program.requests) {
      const { calls } = request;
      provider.on(`upstream-${protocol}`, calls === undefined ? respondInAnyProtocol : callInAnyProtocol(calls));
      const { response, sent } = await send(program, request, { model: `test/${protocol}`, key });
      expect(response.headers.get('x-gateway-removed-tools')).toBe(request.removes ?? null);
      const answer = await readAnswer(request, response);
      const written = request.readsArguments ?? JSON.stringify(calls?.input);
      expect({ request: request.name, ...answer }).toMatchObject({
        request: request.name,
        text: calls === undefined ? 'Hello.' : '',
        calls: calls === undefined ? [] : [{ name: calls.name, arguments: written }],
        finish: calls === undefined ? 'stop' : 'tool_calls',
      });
      expect(answer.usage).toEqual(expectsUsage(request) ? expect.objectContaining(usage) : undefined);
      const [text, ...others] = sent();
      expect(others).toEqual([]);
      for (const part of request.reaches) expect(text).toContain(part);
    }
    expect(await spentAtRest(harness, accountId)).toBe(BigInt(program.requests.length) * chargeOfEach);
  });
});

/** A stream of chat completions has the usage where the program asks for it. */
function expectsUsage({ path, body }: SentRequest): boolean {
  return path === '/v1/responses' || body.stream !== true || body.stream_options !== undefined;
}
