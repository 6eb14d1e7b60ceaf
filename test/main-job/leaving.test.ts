/** Programs that announce their shutdown: they are no longer ready, and still serve new connections. */
import { afterAll, expect, test } from 'bun:test';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { chat } from '../harness/clients/chat.ts';
import { startGateway } from '../harness/gateway.ts';
import type { Program } from '../harness/programs.ts';
import { wholeResponse } from '../harness/providers/scripted-provider.ts';

const { harness, provider, stop } = await startGateway();

afterAll(stop);

/** The test ends it, and no clock. */
const announcing = { SHUTDOWN_ANNOUNCE_SECONDS: '300' };

async function announce(program: Program): Promise<void> {
  process.kill(program.pid, 'SIGTERM');
  await waitFor('the announcement', guardTimeoutMs, async () => (await fetch(`${program.url}/readyz`)).status === 503);
  expect(await (await fetch(`${program.url}/readyz`)).json()).toMatchObject({ missing: ['leaving'] });
}

/** Within the announcement, the second signal ends it. */
async function expectEnd(program: Program): Promise<void> {
  process.kill(program.pid, 'SIGTERM');
  expect(await program.exited).toBe('exit code 0');
  await expect(fetch(`${program.url}/healthz`)).rejects.toThrow();
}

test('a proxy that announces its shutdown still serves new connections, and closes each', async () => {
  const proxy = await harness.startProxy(announcing);
  const customer = await harness.createCustomer({ usd: '1' });
  provider.on('upstream-chat', wholeResponse({ content: 'Hello' }));
  const before = await chat(proxy, customer.proxyKey, { model: 'test/chat' });
  expect(before.headers.get('connection')).toBeNull();
  await announce(proxy);
  const response = await chat(proxy, customer.proxyKey, { model: 'test/chat' });
  expect(response.status).toBe(200);
  expect(response.headers.get('connection')).toBe('close');
  expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'Hello' } }] });
  await expectEnd(proxy);
});

test('an admin that announces its shutdown still serves new connections, and closes each', async () => {
  const admin = await harness.startAdmin(announcing);
  await announce(admin);
  const response = await fetch(`${admin.url}/api/site`);
  expect(response.status).toBe(200);
  expect(response.headers.get('connection')).toBe('close');
  await expectEnd(admin);
});
