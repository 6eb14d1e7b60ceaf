/**
 * The hold covers everything that a provider bills for a request, through the real programs: mislabelled media, schemas
 * that grow in translation, duplicate names, and parameters without a price.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { startGateway } from '../../harness/gateway.ts';
import { respondInAnyProtocol } from '../../harness/providers/any-protocol.ts';

/** A million tokens of context cost 14 dollars. */
const { harness, provider, proxy, stop } = await startGateway({
  catalogue: (baseUrl) => `
providers:
  - { id: openai, protocol: openai, baseUrl: "${baseUrl}", quirks: { allowParameters: [allowed_here] } }
  - { id: google, protocol: gemini, baseUrl: "${baseUrl}" }
models:
  - { id: test/chat, kind: chat, ownedBy: test, contextTokens: 1000000, maxOutputTokens: 100,
      price: { prompt: "14", completion: "14" }, deployments: [{ provider: openai, model: m }] }
  - { id: test/gemini, kind: chat, ownedBy: test, contextTokens: 1000000, maxOutputTokens: 100,
      price: { prompt: "14", completion: "14" }, deployments: [{ provider: google, model: m }] }
`,
});
const { proxyKey } = await harness.createCustomer({ usd: '2' });

afterAll(stop);
provider.on('m', respondInAnyProtocol);

async function ask(body: string, path = '/v1/chat/completions', key = proxyKey) {
  const before = provider.requests.length;
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${proxy.url}${path}`, { method: 'POST', headers, body });
  const { error } = (await response.json()) as { error?: { code: string; param: string | null } };
  return {
    status: response.status,
    code: error?.code,
    param: error?.param,
    sent: provider.requests.slice(before).map(({ text }) => text),
  };
}

const about = (model: string, body: object) =>
  JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello?' }], max_tokens: 10, ...body });
const showing = (part: object) => ({ messages: [{ role: 'user', content: [part] }] });

const video = Buffer.from('\0\0\0\x18ftypisom\0\0\x02\0', 'latin1').toString('base64');
const video64 = `data:;base64,${video}`;

describe('a video for two dollars', () => {
  test.each(['mp4', 'pdf'])('is not sent to Gemini as audio of the format %s', async (format) => {
    const body = about('test/gemini', showing({ type: 'input_audio', input_audio: { data: video, format } }));
    expect(await ask(body)).toEqual({
      status: 400,
      code: 'invalid_parameter',
      param: 'messages[0].content[0].input_audio.format',
      sent: [],
    });
  });

  test.each<object>([
    { type: 'file', file: { filename: 'video.mp4', file_data: video64 } },
    { type: 'file', file: { filename: 'text.txt', file_data: video64 } },
    { type: 'input_audio', input_audio: { data: video, format: 'wav' } },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${video}` } },
    { type: 'image_url', image_url: { url: 'https://example.com/picture.png' } },
  ])('is not sent to Gemini as %j', async (part) => {
    const { status, code, sent } = await ask(about('test/gemini', showing(part)));
    expect([status, code, sent]).toEqual([403, 'insufficient_balance', []]);
  });
});

test('the hold for a schema that grows fivefold for Gemini covers its size as sent', async () => {
  const $defs = { it: { type: 'object', description: 'word '.repeat(5_000), properties: { a: { type: 'string' } } } };
  const names = Array.from({ length: 50 }, (_, index) => [`p${index}`, { $ref: '#/$defs/it' }]);
  const parameters = { type: 'object', properties: Object.fromEntries(names), $defs };
  const functions = ['one', 'two'].map((name) => ({ type: 'function', function: { name, parameters } }));
  const body = about('test/gemini', { tools: functions });
  // The client's own bytes cost at most a dollar.
  expect(body.length * 14e-6).toBeLessThan(1);
  const { status, code, sent } = await ask(body);
  expect([status, code, sent]).toEqual([403, 'insufficient_balance', []]);
  const { proxyKey: rich } = await harness.createCustomer({ usd: '15' });
  const [bytes = ''] = (await ask(body, '/v1/chat/completions', rich)).sent;
  expect(bytes.length * 14e-6).toBeGreaterThan(2);
});

describe('a duplicate name', () => {
  const messages = '[{"role":"user","content":"Hello?"}]';

  test.each([
    ['"tools":[{"type":"web_search"}],"tools":[{"type":"function","function":{"name":"f"}}]', 'web_search'],
    ['"tools":[{"type":"function","function":{"name":"f"},"type":"web_search","type":"function"}]', 'web_search'],
    ['"modalities":["audio"],"modalities":["text"]', 'audio'],
    ['"service_tier":"priority","service_tier":"default"', 'priority'],
  ])('reaches the provider once, as it was checked: %s', async (members, hidden) => {
    const { status, sent } = await ask(`{"model":"test/chat",${members},"messages":${messages}}`);
    expect(status).toBe(200);
    expect(sent).toHaveLength(1);
    expect(sent[0]).not.toContain(hidden);
  });

  test('is also found in a body that arrives in chunks', async () => {
    const content = `"content":"hidden","metadata":"${'x'.repeat(80_000)}","content":"Hello?"`;
    const { sent } = await ask(`{"model":"test/chat","messages":[{"role":"user",${content}}]}`);
    expect(sent).toHaveLength(1);
    expect(sent[0]).not.toContain('hidden');
  });
});

describe('a parameter without a price', () => {
  const mark = { type: 'ephemeral', ttl: '1h' };
  const text = [{ type: 'text', text: 'Hello?', cache_control: mark }];

  test.each<[object, string]>([
    [{ speed: 'fast' }, 'speed'],
    [{ brand_new: true }, 'brand_new'],
    [{ cache_control: mark }, 'cache_control.ttl'],
    [{ messages: [{ role: 'user', content: text }] }, 'messages[0].content[0].cache_control.ttl'],
  ])('%j is refused before it is sent, and by a quote', async (extra, param) => {
    const refused = { status: 400, code: 'unsupported_parameter', param, sent: [] };
    expect(await ask(about('test/chat', extra))).toEqual(refused);
    expect(await ask(about('test/chat', extra), '/v1/quote')).toEqual(refused);
  });

  test('is passed on if the operator has allowed it for the provider', async () => {
    const { status, sent } = await ask(about('test/chat', { allowed_here: 1 }));
    expect([status, sent.length]).toEqual([200, 1]);
    expect(sent[0]).toContain('"allowed_here":1');
  });

  test.each<object>([{ speed: 'fast' }, { system: text }])('%j is also refused by /v1/messages', async (extra) => {
    const { status, sent } = await ask(about('test/chat', extra), '/v1/messages');
    expect([status, sent]).toEqual([400, []]);
  });
});
