/** Where the programs listen: a port in use is named with its variable, before anything is started. */
import { expect, test } from 'bun:test';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { readLocalConfiguration } from '../../../local/configuration.ts';
import { StateFile } from '../../../local/data/state.ts';
import { freePort } from '../../../local/servers/ports.ts';
import { chooseAddresses, rememberedPort } from '../../../local/start/addresses.ts';
import { findCatalogueProblems } from '../../../local/start/catalogue.ts';
import { ConfigurationError } from '../../../shared/config/environment.ts';
import { temporaryDirectories } from '../temporary-directory.ts';

const newDirectory = temporaryDirectories();

function newState(): StateFile {
  return new StateFile(join(newDirectory(), 'state.json'));
}

async function holdPort(port: number) {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { [Symbol.dispose]: () => server.close() };
}

test('every port in use is named together with the variable that changes it', async () => {
  const [proxyPort, adminPort] = [await freePort(), await freePort()];
  using _proxy = await holdPort(proxyPort);
  using _admin = await holdPort(adminPort);
  const configuration = readLocalConfiguration({
    PROXY_PORT: String(proxyPort),
    ADMIN_PORT: String(adminPort),
  }).configuration;
  const choosing = chooseAddresses(configuration, newState());
  await expect(choosing).rejects.toThrow(`Port ${proxyPort}`);
  await expect(choosing).rejects.toThrow('PROXY_PORT=');
  await expect(choosing).rejects.toThrow('ADMIN_PORT=');
});

test('the same port for two programs is refused', async () => {
  const port = String(await freePort());
  const configuration = readLocalConfiguration({ PROXY_PORT: port, ADMIN_PORT: port }).configuration;
  await expect(chooseAddresses(configuration, newState())).rejects.toThrow('ADMIN_PORT and PROXY_PORT are both');
});

test('port 0 means a free port, and addresses are reachable', async () => {
  const configuration = readLocalConfiguration({ HOST: '0.0.0.0', PROXY_PORT: '0', ADMIN_PORT: '0' }).configuration;
  const addresses = await chooseAddresses(configuration, newState());
  expect(addresses.proxyPort).toBeGreaterThan(0);
  expect(addresses.proxyPort).not.toBe(addresses.adminPort);
  expect(addresses.proxyUrl).toBe(`http://127.0.0.1:${addresses.proxyPort}`);
});

test('a remembered port is used again, or another one if it is in use', async () => {
  const state = newState();
  const port = await rememberedPort(state, 'postgres');
  expect(await rememberedPort(state, 'postgres')).toBe(port);
  using _held = await holdPort(port);
  const other = await rememberedPort(state, 'postgres');
  expect(other).not.toBe(port);
  expect(state.port('postgres')).toBe(other);
});

test('mistakes of all programs, the catalogue and ports in use are reported in one error', async () => {
  const [proxyPort, postgresPort] = [await freePort(), await freePort()];
  using _proxy = await holdPort(proxyPort);
  using _postgres = await holdPort(postgresPort);
  const { configuration, problems } = readLocalConfiguration({
    PROXY_PORT: String(proxyPort),
    POSTGRES_PORT: String(postgresPort),
    ADMIN_PORT: 'x',
    KEY_PEPPER: 'short',
    LOG_LEVEL: 'loud',
    RATE_LIMIT_REQUESTS_PER_MINUTE: '-1',
    SMTP_URL: 'http://mail.example.com',
    DEMO_TOKENS_PER_SECOND: 'fast',
    GATEWAY_CATALOGUE: '/nowhere.yaml',
    DATA_DIR: newDirectory(),
  });
  const inCatalogue = await findCatalogueProblems(configuration, newState());
  const error = await chooseAddresses(configuration, newState(), [...problems, ...inCatalogue]).catch(
    (caught) => caught,
  );
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error.problems.map((problem: string) => /[A-Z]+(_[A-Z]+)+/.exec(problem)?.[0]).sort()).toEqual([
    'ADMIN_PORT',
    'DEMO_TOKENS_PER_SECOND',
    'GATEWAY_CATALOGUE',
    'KEY_PEPPER',
    'LOG_LEVEL',
    'POSTGRES_PORT',
    'PROXY_PORT',
    'RATE_LIMIT_REQUESTS_PER_MINUTE',
    'SMTP_URL',
  ]);
});

test('every mistake in a catalogue that the first start would apply is named, under its own name', async () => {
  const dataDir = newDirectory();
  const catalogue = join(dataDir, 'my-catalogue.yaml');
  await Bun.write(
    catalogue,
    'providers: [{ id: demo, protocol: carrier-pigeon, baseUrl: "http://127.0.0.1/v1" }]\nmodels: 7\n',
  );
  const { configuration } = readLocalConfiguration({ GATEWAY_CATALOGUE: catalogue, DATA_DIR: dataDir });
  const state = newState();
  const [problem, ...more] = await findCatalogueProblems(configuration, state);
  expect(more).toEqual([]);
  expect(problem).toStartWith(`GATEWAY_CATALOGUE: ${catalogue} is invalid:`);
  expect(problem).toMatch(/protocol[\s\S]*models/);
  // Only the first start applies it.
  state.record('embedded', { demoUrl: 'http://127.0.0.1:8082/v1' });
  expect(await findCatalogueProblems(configuration, state)).toEqual([]);
});

test('the ports of embedded servers can be chosen, and are ignored without embedded servers', async () => {
  const port = await freePort();
  using _held = await holdPort(port);
  const given = { PROXY_PORT: '0', ADMIN_PORT: '0', REDIS_PORT: String(port) };
  await expect(chooseAddresses(readLocalConfiguration(given).configuration, newState())).rejects.toThrow('REDIS_PORT=');
  const own = readLocalConfiguration({ ...given, REDIS_URL: 'redis://127.0.0.1:6379' }).configuration;
  expect((await chooseAddresses(own, newState())).proxyPort).toBeGreaterThan(0);
});

test('port 0 is any free port, including for the demo provider, and two concurrent starts do not collide', async () => {
  const given = { PROXY_PORT: '0', ADMIN_PORT: '0', DEMO_PORT: '0' };
  const state = newState();
  const { configuration } = readLocalConfiguration(given);
  const { proxyPort, adminPort, demoPort } = await chooseAddresses(configuration, state);
  for (const port of [proxyPort, adminPort, demoPort]) expect(port).toBeGreaterThanOrEqual(15_000);
  expect(state.port('demo')).toBeUndefined();
});

test('a HOST of another machine is a configuration error', async () => {
  const configuration = readLocalConfiguration({ HOST: '192.0.2.1' }).configuration;
  await expect(chooseAddresses(configuration, newState())).rejects.toThrow('HOST must be an address of this machine');
});
