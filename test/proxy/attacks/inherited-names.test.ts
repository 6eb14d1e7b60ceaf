/**
 * Members that every JavaScript object inherits are ordinary names: clients and providers may send them wherever a name
 * selects something.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { failureInside as anthropicFailure } from '../../../proxy/providers/anthropic/response/read-failure.ts';
import { failureInside as bedrockFailure } from '../../../proxy/providers/bedrock/response/converse-failure.ts';
import { finishReasonOf as geminiFinishReason } from '../../../proxy/providers/gemini/response/finish-reason.ts';
import { readFinishReason } from '../../../proxy/providers/openai/response/finish-reason.ts';
import { startGateway } from '../../harness/gateway.ts';
import { respondInAnyProtocol } from '../../harness/providers/any-protocol.ts';

const inherited = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'];

const protocols = ['openai', 'anthropic', 'gemini', 'bedrock'];
const { harness, provider, proxy, stop } = await startGateway({
  catalogue: (baseUrl) => `
providers: [${protocols.map((protocol) => `{ id: ${protocol}, protocol: ${protocol}, baseUrl: "${baseUrl}" }`).join()}]
models: [${protocols
    .map(
      (protocol) =>
        `{ id: test/${protocol}, kind: chat, ownedBy: test, contextTokens: 100000, maxOutputTokens: 100,
           price: { prompt: "1", completion: "1" }, deployments: [{ provider: ${protocol}, model: m }] }`,
    )
    .join()}]
`,
});
const { proxyKey } = await harness.createCustomer({ usd: '5' });

afterAll(stop);
provider.on('m', respondInAnyProtocol);

/** `fields` is JSON text: in an object literal, `__proto__` is no member. */
async function ask(path: string, fields: string, method = 'POST') {
  const before = provider.requests.length;
  const response = await fetch(`${proxy.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${proxyKey}` },
    ...(method === 'POST' && { body: `{${fields}}` }),
  });
  const { error } = (await response.json()) as { error?: { code?: string } };
  return { status: response.status, code: error?.code, sent: provider.requests.slice(before).map(({ text }) => text) };
}

const hello = '"messages":[{"role":"user","content":"Hello?"}],"max_tokens":10';
const showing = (part: string) => `"messages":[{"role":"user","content":[${part}]}],"max_tokens":10`;

describe.each(inherited)('%s', (name) => {
  test.each([
    ['POST', '/v1/chat/completions', `"model":"${name}",${hello}`],
    ['POST', '/v1/quote', `"model":"${name}",${hello}`],
    ['POST', `/v1/${name}`, `"model":"test/openai",${hello}`],
    ['POST', `/${name}`, `"model":"test/openai",${hello}`],
    ['GET', `/v1/models/${name}`, ''],
  ])('is not found as a model or a route: %s %s', async (method, path, fields) => {
    expect(await ask(path, fields, method)).toMatchObject({ status: 404, sent: [] });
  });

  test.each([
    ['/v1/chat/completions', 'test/anthropic', `"reasoning_effort":"${name}",${hello}`],
    ['/v1/chat/completions', 'test/gemini', `"reasoning_effort":"${name}",${hello}`],
    ['/v1/chat/completions', 'test/gemini', `"reasoning":{"effort":"${name}"},${hello}`],
    ['/v1/chat/completions', 'test/bedrock', `"response_format":{"type":"${name}"},${hello}`],
    ['/v1/chat/completions', 'test/gemini', showing(`{"type":"${name}"}`)],
    [
      '/v1/chat/completions',
      'test/gemini',
      showing(`{"type":"input_audio","input_audio":{"data":"AA","format":"${name}"}}`),
    ],
    [
      '/v1/chat/completions',
      'test/bedrock',
      showing(`{"type":"image_url","image_url":{"url":"data:${name};base64,AA"}}`),
    ],
    ['/v1/chat/completions', 'test/openai', `"tools":[{"type":"${name}"}],${hello}`],
    ['/v1/chat/completions', 'test/openai', `"${name}":1,${hello}`],
    ['/v1/messages', 'test/openai', showing(`{"type":"${name}"}`)],
    ['/v1/messages', 'test/openai', showing(`{"type":"image","source":{"type":"${name}"}}`)],
    ['/v1/messages', 'test/openai', `"tool_choice":{"type":"${name}"},${hello}`],
    ['/v1/responses', 'test/openai', `"input":[{"type":"${name}"}]`],
    ['/v1/responses', 'test/openai', `"input":[{"role":"user","content":[{"type":"${name}"}]}]`],
    ['/v1/responses', 'test/openai', `"input":"Hello?","tools":[{"type":"${name}"}]`],
  ])('is refused by %s for %s as in {%s}', async (path, model, fields) => {
    expect(await ask(path, `"model":"${model}",${fields}`)).toMatchObject({ status: 400, sent: [] });
  });

  test('is removed from a request if it is null', async () => {
    const { status, sent } = await ask('/v1/chat/completions', `"model":"test/openai","${name}":null,${hello}`);
    expect([status, sent.length]).toEqual([200, 1]);
    expect(sent[0]).not.toContain(name);
  });

  test('is an ordinary end of a response if a provider sends it as the reason', () => {
    expect([geminiFinishReason(name), readFinishReason(name)]).toEqual(['stop', 'stop']);
  });

  test('is an error without a known status if a provider sends it as the type', () => {
    expect(anthropicFailure({ type: name, message: 'Sorry.' })).toMatchObject({ reason: 'refused', status: undefined });
    expect(bedrockFailure(name, { message: 'Sorry.' })).toMatchObject({ reason: 'refused', status: undefined });
  });
});
