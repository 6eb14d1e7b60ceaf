/** A test that never ends, with programs of every kind. Only `runner.test.ts` runs it. */
import { test } from 'bun:test';
import { startProxyProgram } from '../harness/gateway.ts';

test('a fixture test never ends', async () => {
  const { harness, proxy } = await startProxyProgram({
    catalogue: (baseUrl) => `
providers:
  - { id: scripted, protocol: openai, baseUrl: "${baseUrl}" }
models:
  - { id: test/chat, kind: chat, ownedBy: test, contextTokens: 1000, maxOutputTokens: 1000,
      price: { prompt: "1", completion: "2" }, deployments: [{ provider: scripted, model: chat }] }
`,
  });
  await Bun.write(process.env.ENDLESS_FILE ?? '', `${harness.databaseUrl}\n${harness.redisUrl}\n${proxy.url}`);
  await new Promise(() => {});
});
