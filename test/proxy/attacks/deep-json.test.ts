/** Every endpoint refuses deeply nested JSON, for every protocol and anywhere in the body. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { jsonLimits } from '../../../shared/http/intake/json-scanner.ts';
import { startGateway } from '../../harness/gateway.ts';
import { failWith } from '../../harness/providers/scripted-provider.ts';

const protocols = ['openai', 'anthropic', 'gemini', 'bedrock'];
const { harness, provider, proxy, stop } = await startGateway({
  catalogue: (baseUrl) => `
providers:
${protocols.map((protocol) => `  - { id: ${protocol}, protocol: ${protocol}, baseUrl: "${baseUrl}" }`).join('\n')}
models:
${protocols.map(modelOf).join('\n')}`,
});
const customer = await harness.createCustomer({ usd: '10' });

function modelOf(protocol: string): string {
  return `
  - id: deep/${protocol}
    kind: chat
    ownedBy: test
    contextTokens: 200000
    maxOutputTokens: 2048
    price: { prompt: "1", completion: "1" }
    deployments: [{ provider: ${protocol}, model: deep }]`;
}

afterAll(stop);
// The provider's refusal shows that the gateway let a request through.
beforeEach(() => provider.on('deep', failWith(400, 'refused by the provider')));

const array = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const object = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const text = (json: string) => JSON.stringify(json);
const user = `{"role":"user","content":"Hello?"}`;

/** Where a body may have a value of any shape, by path. */
const places: Readonly<Record<string, Readonly<Record<string, (json: string) => string>>>> = {
  '/v1/chat/completions': {
    'an unknown field': (json) => `"messages":[${user}],"x":${json}`,
    'a message': (json) => `"messages":[${user},${json}]`,
    "a tool's schema": (json) =>
      `"messages":[${user}],"tools":[{"type":"function","function":{"name":"f","parameters":{"x":${json}}}}]`,
    "a tool call's arguments": (json) =>
      `"messages":[${user},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":${text(json)}}}]},{"role":"tool","tool_call_id":"c","content":"1"}]`,
    "a tool's result": (json) =>
      `"messages":[${user},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":${text(json)}}]`,
    "the answer's schema": (json) =>
      `"messages":[${user}],"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"x":${json}}}}`,
  },
  '/v1/messages': {
    'an unknown field': (json) => `"max_tokens":9,"messages":[${user}],"x":${json}`,
    'a message': (json) => `"max_tokens":9,"messages":[${user},${json}]`,
    "a tool's schema": (json) =>
      `"max_tokens":9,"messages":[${user}],"tools":[{"name":"f","input_schema":{"type":"object","x":${json}}}]`,
    "a tool call's input": (json) =>
      `"max_tokens":9,"messages":[${user},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{"x":${json}}}]}]`,
  },
  '/v1/messages/count_tokens': {
    'an unknown field': (json) => `"messages":[${user}],"x":${json}`,
    "a tool's schema": (json) => `"messages":[${user}],"tools":[{"name":"f","input_schema":{"x":${json}}}]`,
  },
  '/v1/responses': {
    'an unknown field': (json) => `"input":"Hello?","x":${json}`,
    'an item': (json) => `"input":[${json}]`,
    "a tool's schema": (json) => `"input":"Hello?","tools":[{"type":"function","name":"f","parameters":{"x":${json}}}]`,
    "a tool call's arguments": (json) =>
      `"input":[{"type":"function_call","call_id":"c","name":"f","arguments":${text(json)}},{"type":"function_call_output","call_id":"c","output":"1"}]`,
  },
  '/v1/quote': { 'an unknown field': (json) => `"messages":[${user}],"x":${json}` },
  '/v1/completions': {
    'an unknown field': (json) => `"prompt":"a","x":${json}`,
    'the prompt': (json) => `"prompt":${json}`,
  },
  '/v1/embeddings': {
    'an unknown field': (json) => `"input":"a","x":${json}`,
    'the input': (json) => `"input":${json}`,
  },
};

async function post(path: string, body: string): Promise<string> {
  const response = await fetch(`${proxy.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.proxyKey}` },
    body,
  });
  const code = /"code":"(\w+)"/.exec(await response.text())?.[1];
  return `${response.status} ${code ?? ''}`;
}

for (const [path, fields] of Object.entries(places)) {
  describe.each(protocols)(`${path} with a model of %s`, (protocol) => {
    test.each(Object.keys(fields))('refuses deep JSON in %s', async (place) => {
      const bodyOf = (json: string) => `{"model":"deep/${protocol}",${fields[place]?.(json)}}`;
      for (const nested of [array, object]) {
        for (const depth of [jsonLimits.depth + 1, 50_000]) {
          const response = await post(path, bodyOf(nested(depth)));
          expect([depth, response]).toEqual([depth, '400 body_too_complex']);
        }
        // At the allowed depth it is an ordinary request, whatever its outcome.
        expect(await post(path, bodyOf(nested(jsonLimits.depth - 10)))).toMatch(/^[24]\d\d /);
      }
    });
  });
}
