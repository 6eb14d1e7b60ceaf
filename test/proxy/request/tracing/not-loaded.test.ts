/** Without a collector, the proxy loads nothing of OpenTelemetry: it runs on a machine that has none of its packages. */
import { afterAll, expect, test } from 'bun:test';
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chat } from '../../../harness/clients/chat.ts';
import { startScriptedProvider, wholeResponse } from '../../../harness/providers/scripted-provider.ts';
import { testCatalogue } from '../../../harness/providers/test-catalogue.ts';
import { startHarness } from '../../../harness.ts';

const root = join(import.meta.dir, '../../../..');
const harness = await startHarness();
const provider = startScriptedProvider();
const folder = await mkdtemp(join(tmpdir(), 'gateway-untraced-'));

afterAll(async () => {
  await provider.stop();
  await harness.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The proxy's source, with every package but those of OpenTelemetry. */
async function copyWithoutTelemetry(): Promise<void> {
  for (const name of ['proxy', 'shared', 'package.json'])
    await cp(join(root, name), join(folder, name), { recursive: true });
  const packages = join(folder, 'node_modules');
  await mkdir(packages);
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (name !== '@opentelemetry') await symlink(join(root, 'node_modules', name), join(packages, name));
  }
}

test('without a collector the proxy serves requests where no package of OpenTelemetry is installed', async () => {
  await copyWithoutTelemetry();
  provider.on('upstream-chat', wholeResponse({ usage: { promptTokens: 1, completionTokens: 1 } }));
  await harness.applyCatalogue(testCatalogue(provider.baseUrl));
  await harness.openAdmin();
  const proxy = await harness.startProxy({}, folder);
  const customer = await harness.createCustomer({ usd: '1' });
  expect((await chat(proxy, customer.proxyKey, { model: 'test/chat' })).status).toBe(200);
});

test('with a collector the proxy needs those packages, so the test above would notice them', async () => {
  const traced = harness.startProxy({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }, folder);
  await expect(traced).rejects.toThrow('@opentelemetry');
});
