/**
 * Azure as local/providers.md configures it, in both forms: the path, the query and the header with the key are right,
 * and its model router's recorded responses are delivered in the published format and charged exactly.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCatalogueFile } from '../../../admin/catalogue/read-catalogue-file.ts';
import { guardTimeoutMs, readLedger, waitFor } from '../../harness/account-view.ts';
import { chat } from '../../harness/clients/chat.ts';
import { type Gateway, startGateway } from '../../harness/gateway.ts';
import { openaiSchemasMissing, schemaProblems } from '../../harness/openapi/openai-schemas.ts';
import { rawResponse } from '../../harness/providers/scripted-provider.ts';

const root = join(import.meta.dir, '../../..');
const recording = join(root, '../shared/recordings/azure-model-router.1.chunks.txt');
const missing = !existsSync(recording);
if (missing) console.info(`skipped what needs ${recording}, which is missing`);

/** The documented entries of providers that differ from OpenAI, as YAML. */
const [example = ''] = [...readFileSync(join(root, 'local/providers.md'), 'utf8').matchAll(/```yaml\n([\s\S]*?)```/g)]
  .map(([, yaml = '']) => yaml)
  .filter((yaml) => yaml.includes('id: azure'));

const model = (id: string) => `
  - id: test/${id}
    kind: chat
    ownedBy: azure
    contextTokens: 32768
    maxOutputTokens: 2048
    price: { prompt: "1", completion: "2" }
    deployments: [{ provider: ${id}, model: my-router }]`;
const catalogue = `${example}\nmodels:${['azure', 'azure-v1', 'anthropic', 'google', 'gigachat'].map(model).join('')}\n`;

/** As the text beside the entries says. */
const awsKeys = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'];

test('the documented entries are a catalogue without mistakes', () => {
  const reading = readCatalogueFile(catalogue, new Set(awsKeys));
  expect(reading.ok ? [] : reading.problems).toEqual([]);
});

describe.skipIf(missing)('Azure through the gateway', () => {
  let gateway: Gateway;

  beforeAll(async () => {
    gateway = await startGateway({
      catalogue: (baseUrl) => catalogue.replaceAll('https://example.openai.azure.com', new URL(baseUrl).origin),
      proxyEnvironment: { AZURE_OPENAI_API_KEY: 'azure-key', PROVIDER_KEYS: awsKeys.join() },
    });
  });
  afterAll(() => gateway.stop());

  const forms = [
    ['azure', '/openai/deployments/my-router/chat/completions?api-version=2024-10-21', 'max_tokens'],
    ['azure-v1', '/openai/v1/chat/completions', 'max_completion_tokens'],
  ] as const;

  test.each(forms)(
    "gets requests for %s at its URL with its key, and its router's usage is charged",
    async (id, address, cap) => {
      const lines = readFileSync(recording, 'utf8').trim().split('\n');
      const counts = lines.map((line) => JSON.parse(line).usage).findLast((usage) => usage);
      const events = [...lines, '[DONE]'].map((line) => `data: ${line}\n\n`).join('');
      gateway.provider.on('my-router', rawResponse(events, 'text/event-stream'));
      const customer = await gateway.harness.createCustomer({ usd: '1' });
      const response = await chat(gateway.proxy, customer.proxyKey, {
        model: `test/${id}`,
        stream: true,
        max_tokens: 99,
      });
      const data = (await response.text())
        .split('\n\n')
        .flatMap((event) => (event ? [event.replace('data: ', '')] : []));
      expect(data.pop()).toBe('[DONE]');
      for (const chunk of data) {
        if (!openaiSchemasMissing)
          expect(schemaProblems('CreateChatCompletionStreamResponse', JSON.parse(chunk))).toEqual([]);
      }
      const text = data.map((chunk) => JSON.parse(chunk).choices[0]?.delta.content ?? '').join('');
      expect(text).toBe('Capital of Denmark.');

      const sent = gateway.provider.requests.at(-1);
      expect(`${sent?.path}${sent?.query}`).toBe(address);
      expect(sent?.headers.get('api-key')).toBe('azure-key');
      expect(sent?.headers.get('authorization')).toBeNull();
      expect(sent?.body[cap]).toBe(99);
      const completion = Math.max(counts.completion_tokens, counts.total_tokens - counts.prompt_tokens);
      await waitFor('the charge', guardTimeoutMs, async () => {
        const { spentNano } = await readLedger(gateway.harness, customer.accountId);
        return spentNano === BigInt(counts.prompt_tokens * 1_000 + completion * 2_000);
      });
    },
  );
});
