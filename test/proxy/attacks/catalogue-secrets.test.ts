/**
 * An effective catalogue that names a secret of the proxy as a provider's key, as an earlier version may have accepted:
 * no provider ever gets the secret, everything else works, and operators can see why the deployment is not used.
 */
import { afterAll, expect, test } from 'bun:test';
import { applyCatalogue } from '../../../admin/catalogue/apply-catalogue.ts';
import type { CatalogueFile } from '../../../admin/catalogue/catalogue-file.ts';
import { gatewayOf } from '../../admin/cli/run-gateway.ts';
import { chat, errorCodeOf } from '../../harness/clients/chat.ts';
import { startScriptedProvider, wholeResponse } from '../../harness/providers/scripted-provider.ts';
import { startHarness } from '../../harness.ts';

const refused = ['REDIS_URL', 'KEY_PEPPER', 'METRICS_TOKEN', 'PATH', 'GOOD_API_KEY_FILE'];
const environment = {
  METRICS_TOKEN: 'a-token-of-the-monitoring',
  GOOD_API_KEY_FILE: '/run/secrets/good',
  GOOD_API_KEY: 'sk-good',
  PROVIDER_KEYS: 'LISTED_TOKEN',
  LISTED_TOKEN: 'sk-listed',
};

const harness = await startHarness();
const provider = startScriptedProvider();
provider.on('upstream', wholeResponse({ usage: { promptTokens: 1, completionTokens: 1 } }));
// Written to the database directly, because a catalogue file with these variables is refused.
await applyCatalogue(harness.database, catalogueOf([...refused, 'GOOD_API_KEY', 'LISTED_TOKEN']));
await harness.openAdmin();
const proxy = await harness.openProxy({ ...environment, LOG_LEVEL: 'info' });
const customer = await harness.createCustomer({ usd: '1' });

afterAll(async () => {
  await provider.stop();
  await harness.stop();
});

/** A provider and a model for each variable, and one model with all providers in order. */
function catalogueOf(variables: readonly string[]): CatalogueFile {
  const model = (id: string, providers: readonly string[]): CatalogueFile['models'][number] => ({
    id,
    kind: 'chat',
    ownedBy: 'test',
    contextTokens: 32_768,
    maxOutputTokens: 2_048,
    price: { prompt: '1', completion: '1' },
    deployments: providers.map((id, priority) => ({ provider: id, model: 'upstream', priority })),
  });
  return {
    providers: variables.map((apiKeyEnv) => ({
      id: apiKeyEnv,
      protocol: 'openai',
      baseUrl: provider.baseUrl,
      apiKeyEnv,
    })),
    models: [...variables.map((variable) => model(variable, [variable])), model('all', variables)],
  };
}

async function ask(model: string) {
  const before = provider.requests.length;
  const response = await chat(proxy, customer.proxyKey, { model });
  const shown = provider.requests.slice(before).map(({ headers }) => headers.get('authorization'));
  return { response, shown };
}

test.each(refused)('the secret %s is never sent to a provider or shown to the customer', async (variable) => {
  const { response, shown } = await ask(variable);
  expect(shown).toEqual([]);
  expect(response.status).toBe(502);
  const text = await response.clone().text();
  expect(await errorCodeOf(response)).toBe('upstream_error');
  expect(text).not.toContain(variable);
  const log = proxy.logged.join('');
  expect(log).toContain(`"provider":"${variable}","problem":"${variable} `);
  expect(log).toContain(`"deployment":"${variable}/upstream"`);
});

test.each([
  ['GOOD_API_KEY', 'Bearer sk-good'],
  ['LISTED_TOKEN', 'Bearer sk-listed'],
  ['all', 'Bearer sk-good'],
])('the provider of model %s gets the key "%s"', async (model, key) => {
  const { response, shown } = await ask(model);
  expect({ status: response.status, shown }).toEqual({ status: 200, shown: [key] });
});

test('the doctor lists every provider that cannot be used', async () => {
  const { json, exitCode } = await gatewayOf(harness)<{ checks: { check: string; status: string; detail: string }[] }>(
    ['doctor', '--json'],
    { environment: { ...environment, JWT_SECRET: harness.jwtSecret } },
  );
  const found = json.checks.filter(({ check }) => check.startsWith('provider '));
  expect(exitCode).toBe(1);
  expect(found.map(({ check, status }) => [check.slice('provider '.length), status])).toEqual([
    ...refused.map((variable) => [variable, 'fail']),
    ['GOOD_API_KEY', 'ok'],
    ['LISTED_TOKEN', 'ok'],
  ]);
});
