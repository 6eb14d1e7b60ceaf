/** The compose file is valid and complete, and its programs are locked down. */
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { EnvironmentReader } from '../../shared/config/environment.ts';
import { loadProxyConfig, memoryBesidesBodies } from '../../shared/config/proxy.ts';
import { killAfterMs, readShutdownBudget } from '../../shared/config/shutdown.ts';
import { isReadBy } from './known-variables.ts';

interface Service {
  readonly mem_limit?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly stop_grace_period?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly configs?: readonly { readonly source: string }[];
  readonly volumes?: readonly string[];
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>;
  readonly ports?: readonly string[];
  readonly networks?: readonly string[];
  readonly user?: string;
  readonly env_file?: unknown;
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, unknown>>;
  readonly configs: Readonly<Record<string, unknown>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
}

const folder = join(import.meta.dir, '../../deploy');
const text = await Bun.file(join(folder, 'compose.yaml')).text();
const file: ComposeFile = parse(text, { merge: true });
const services = Object.entries(file.services);
/** Instead of the paths that belong to the machine that it runs on. */
const elsewhere = {
  KEY_PEPPER: 'p'.repeat(32),
  KEY_PEPPER_FILE: undefined,
  METRICS_TOKEN_FILE: undefined,
  PUBLIC_URL: undefined,
  REDIS_URL: 'redis://redis:6379',
  REDIS_URL_FILE: undefined,
};
const programs = services.filter(([name]) => /^(proxy|admin|migrate)/.test(name));

test('the compose file is valid by the schema of the Compose Specification', async () => {
  const schema = await Bun.file(join(folder, '../node_modules/dclint/schemas/compose.schema.json')).json();
  // Its formats, such as `duration`, are those of Go.
  const validate = new Ajv({ strict: false, validateFormats: false }).compile({ ...schema, $schema: undefined });
  expect(validate(file) ? [] : validate.errors).toEqual([]);
  expect(validate({ services: { proxy: { imagine: 'gateway-proxy' } } })).toBe(false);
});

test('every service runs without capabilities, and all but Grafana on a read-only file system', () => {
  expect(programs.length).toBe(5);
  for (const [name, { read_only = false, cap_drop, security_opt }] of services) {
    const isReadOnly = name !== 'grafana';
    expect([name, read_only, cap_drop, security_opt]).toEqual([name, isReadOnly, ['ALL'], ['no-new-privileges:true']]);
  }
});

test('no secret is in the environment of a service: every variable with one names a file', () => {
  for (const [, { environment = {}, env_file }] of services) {
    expect(env_file).toBeUndefined();
    const secret = Object.keys(environment).filter((name) => /PASSWORD|SECRET|TOKEN|PEPPER|_KEY|REDIS_URL/.test(name));
    expect(secret.filter((name) => !name.endsWith('_FILE'))).toEqual([]);
  }
});

test('each store runs as its own user, and only its programs can reach it', () => {
  const inNetwork = (network: string) => services.filter(([, { networks = [] }]) => networks.includes(network));
  for (const [store, clients] of [
    ['redis', /^(?:proxy|admin)-/],
    ['postgres', /^(?:admin-|migrate$)/],
  ] as const) {
    const { user, networks, ports } = file.services[store] ?? {};
    expect([user, networks, ports, file.networks[store]]).toEqual(['999:999', [store], undefined, { internal: true }]);
    const others = inNetwork(store).filter(([name]) => name !== store);
    expect(others.filter(([name]) => !clients.test(name))).toEqual([]);
    expect(others.length).toBeGreaterThan(2);
  }
  for (const [name, { networks = [] }] of services) {
    expect([name, networks.length > 0]).toEqual([name, true]);
    expect(networks.filter((network) => !Object.hasOwn(file.networks, network))).toEqual([]);
  }
});

test('every variable of a program in the compose file is one that it reads', () => {
  for (const [name, { environment = {} }] of programs) {
    const program = name.startsWith('proxy') ? 'proxy' : 'admin';
    expect(Object.keys(environment).filter((variable) => !isReadBy(program, variable))).toEqual([]);
  }
});

test('the first lines create every secret, and a program sees the files that its variables name', () => {
  const [head = ''] = text.split('\n\n');
  for (const name of Object.keys(file.secrets)) expect(head).toContain(name);
  for (const [, { environment = {}, secrets = [] }] of services) {
    const paths = Object.values(environment).filter((value) => String(value).startsWith('/run/secrets/'));
    expect(paths.filter((path) => !secrets.includes(path.replace('/run/secrets/', '')))).toEqual([]);
  }
});

test('the compose file only names services, secrets, volumes, configurations and files that exist', () => {
  for (const [, { secrets = [], configs = [], volumes = [], depends_on = [] }] of services) {
    const needed = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on);
    expect(needed.filter((name) => !Object.hasOwn(file.services, name))).toEqual([]);
    expect(secrets.filter((name) => !Object.hasOwn(file.secrets, name))).toEqual([]);
    expect(configs.filter(({ source }) => !Object.hasOwn(file.configs, source))).toEqual([]);
    const sources = volumes.map((volume) => volume.split(':')[0] ?? '');
    const isThere = (source: string) =>
      source.startsWith('.') ? existsSync(join(folder, source)) : Object.hasOwn(file.volumes, source);
    expect(sources.filter((source) => !isThere(source))).toEqual([]);
  }
});

test('no program is killed before its shutdown budget is over', () => {
  for (const [, { environment = {}, stop_grace_period }] of programs) {
    const seconds = Number(/^(\d+)s$/.exec(stop_grace_period ?? '')?.[1]);
    expect(seconds * 1_000).toBeGreaterThan(killAfterMs(readShutdownBudget(new EnvironmentReader(environment))));
  }
});

test('a proxy has the memory for the bodies that it accepts, and for everything else', () => {
  const proxies = programs.filter(([name]) => name.startsWith('proxy'));
  expect(proxies.length).toBe(2);
  for (const [, { environment = {}, mem_limit }] of proxies) {
    const gibibytes = Number(/^(\d+)g$/.exec(mem_limit ?? '')?.[1]);
    const { bodiesMaxBytes } = loadProxyConfig({ ...environment, ...elsewhere });
    expect(gibibytes * 1024 ** 3).toBeGreaterThanOrEqual(bodiesMaxBytes + memoryBesidesBodies);
  }
});

test('only the load balancer is reachable from outside', () => {
  const published = services.flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port] as const));
  const outside = published.filter(([, port]) => !port.startsWith('127.0.0.1:'));
  expect(new Set(outside.map(([name]) => name))).toEqual(new Set(['haproxy']));
});

test('Prometheus reads the metrics of every program', async () => {
  const { scrape_configs } = parse(await Bun.file(join(folder, 'prometheus/prometheus.yaml')).text());
  const targets = scrape_configs.flatMap(({ static_configs }: { static_configs: { targets: string[] }[] }) =>
    static_configs.flatMap((each) => each.targets),
  );
  expect(targets.sort()).toEqual(['admin-1:8081', 'admin-2:8081', 'proxy-1:8080', 'proxy-2:8080']);
});
