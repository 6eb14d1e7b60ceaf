/** Where everything listens: a taken port is named with its variable, before anything is started. */
import { expect, test } from 'bun:test';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { chooseAddresses, rememberedPort } from '../../local/addresses.ts';
import { freePort } from '../../local/ports.ts';
import { StateFile } from '../../local/state.ts';
import { loadLocalConfiguration } from '../../shared/config/local.ts';
import { temporaryDirectories } from './temporary-directory.ts';

const newDirectory = temporaryDirectories();

function newState(): StateFile {
  return new StateFile(join(newDirectory(), 'state.json'));
}

async function holdPort(port: number) {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { [Symbol.dispose]: () => server.close() };
}

test('every taken port is named together with the variable that changes it', async () => {
  const [proxyPort, adminPort] = [await freePort(), await freePort()];
  using _proxy = await holdPort(proxyPort);
  using _admin = await holdPort(adminPort);
  const configuration = loadLocalConfiguration({ PROXY_PORT: String(proxyPort), ADMIN_PORT: String(adminPort) });
  const choosing = chooseAddresses(configuration, newState());
  await expect(choosing).rejects.toThrow(`Port ${proxyPort}`);
  await expect(choosing).rejects.toThrow('PROXY_PORT=');
  await expect(choosing).rejects.toThrow('ADMIN_PORT=');
});

test('one port for two programs is refused', async () => {
  const port = String(await freePort());
  const configuration = loadLocalConfiguration({ PROXY_PORT: port, ADMIN_PORT: port });
  await expect(chooseAddresses(configuration, newState())).rejects.toThrow('ADMIN_PORT and PROXY_PORT are both');
});

test('port 0 means free ones, and addresses are reachable ones', async () => {
  const configuration = loadLocalConfiguration({ HOST: '0.0.0.0', PROXY_PORT: '0', ADMIN_PORT: '0' });
  const addresses = await chooseAddresses(configuration, newState());
  expect(addresses.proxyPort).toBeGreaterThan(0);
  expect(addresses.proxyPort).not.toBe(addresses.adminPort);
  expect(addresses.proxyUrl).toBe(`http://127.0.0.1:${addresses.proxyPort}`);
});

test('a remembered port is used again, and another one when it is taken', async () => {
  const state = newState();
  const port = await rememberedPort(state, 'postgres');
  expect(await rememberedPort(state, 'postgres')).toBe(port);
  using _held = await holdPort(port);
  const other = await rememberedPort(state, 'postgres');
  expect(other).not.toBe(port);
  expect(state.port('postgres')).toBe(other);
});
