/** A large request is sent, resent and charged like a small one, although its prompt is not kept. */
import { afterAll, beforeEach, expect, test } from 'bun:test';
import { startGateway } from '../../../harness/gateway.ts';
import { failWith, wholeResponse } from '../../../harness/providers/scripted-provider.ts';

const { harness, provider, proxy, stop } = await startGateway({
  catalogue: (baseUrl) => `
providers:
  - { id: one, protocol: openai, baseUrl: "${baseUrl}" }
  - { id: two, protocol: openai, baseUrl: "${baseUrl}", quirks: { developerRole: system } }
  - { id: three, protocol: anthropic, baseUrl: "${baseUrl}" }
models:
  - id: large/failover
    kind: chat
    ownedBy: test
    contextTokens: 2000000
    maxOutputTokens: 16
    price: { prompt: "0.50", completion: "1.50" }
    deployments:
      - { provider: one, model: first, priority: 1 }
      - { provider: two, model: second, priority: 2 }
      - { provider: three, model: third, priority: 3 }
`,
});
const customer = await harness.createCustomer({ usd: '100' });

afterAll(stop);
beforeEach(() => {
  provider.on('first', failWith(500, 'broken'));
  provider.on('second', failWith(500, 'broken'));
});

const anthropicResponse = {
  ...{ id: 'm', type: 'message', role: 'assistant', model: 'third', stop_reason: 'end_turn' },
  content: [{ type: 'text', text: 'Hello.' }],
  usage: { input_tokens: 10, output_tokens: 2 },
};

/** Beyond 256 KiB, with letters of one, two, three and four bytes. */
const prompt = 'word слово 世界 🎉 '.repeat(20_000);

async function send(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Promise<Response> {
  return await fetch(`${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.proxyKey}`, ...headers },
    body,
  });
}

const sentSince = (start: number) => provider.requests.slice(start);

test('every deployment that is tried gets the whole prompt, whatever its protocol', async () => {
  provider.on('third', () => Response.json(anthropicResponse));
  const start = provider.requests.length;
  const response = await send(
    JSON.stringify({
      model: 'large/failover',
      messages: [
        { role: 'developer', content: prompt },
        { role: 'user', content: 'Go on.' },
      ],
    }),
  );
  expect(response.status).toBe(200);
  const sent = sentSince(start);
  expect(sent.map(({ body, path }) => body.model ?? path)).toEqual(['first', 'second', 'third']);
  const [first, second, third] = sent;
  expect(first?.body.messages).toMatchObject([{ role: 'developer', content: prompt }, {}]);
  expect(second?.body.messages).toMatchObject([{ role: 'system', content: prompt }, {}]);
  expect(third?.body.system).toMatchObject([{ text: prompt }]);
});

test.each([
  ['unique names', '"user":"b"'],
  ['a name that occurs twice', '"user":"a","user":"b"'],
])('a body with %s, a byte order mark and invalid UTF-8 means the same to every provider', async (_, members) => {
  provider.on('first', wholeResponse({ usage: { promptTokens: 10, completionTokens: 2 } }));
  const start = provider.requests.length;
  const body = Buffer.concat([
    Buffer.from(`\ufeff{${members},"model":"large/failover","messages":[{"role":"user","content":"`),
    Buffer.from([0xff]),
    Buffer.from(`${prompt}"}]}`),
  ]);
  expect((await send(body)).status).toBe(200);
  const [sent] = sentSince(start);
  expect(sent?.body).toMatchObject({ model: 'first', user: 'b' });
  expect(sent?.prompt).toBe(`\ufffd${prompt}`);
});

test('the prompt of a large request is charged by the estimate if no usage is reported', async () => {
  provider.on('first', wholeResponse({}));
  const charged = async (content: string) => {
    const body = JSON.stringify({ model: 'large/failover', messages: [{ role: 'user', content }] });
    const { usage } = (await (await send(body)).json()) as { usage: { prompt_tokens: number } };
    return usage.prompt_tokens;
  };
  const words = 'These are some words of an English text. ';
  const small = await charged(words.repeat(1_000));
  const large = await charged(words.repeat(20_000));
  expect(large / small).toBeGreaterThan(19);
  expect(large / small).toBeLessThan(21);
});

test('a repeated large request with an Idempotency-Key is recognised by its body', async () => {
  provider.on('first', wholeResponse({ usage: { promptTokens: 10, completionTokens: 2 } }));
  const body = JSON.stringify({ model: 'large/failover', messages: [{ role: 'user', content: prompt }] });
  const headers = { 'idempotency-key': crypto.randomUUID() };
  expect((await send(body, headers)).status).toBe(200);
  expect((await send(body, headers)).headers.get('idempotent-replayed')).toBe('true');
  expect((await send(body.replace('word', 'Word'), headers)).status).toBe(422);
});
