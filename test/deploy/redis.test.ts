/**
 * The Redis of each documented installation, run with exactly the settings of the documents and files: it requires its
 * password, keeps its data, evicts nothing, and has a memory limit, without which the programs' guards never act.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { $ } from 'bun';
import { parse, parseAllDocuments } from 'yaml';
import { freePort } from '../../local/servers/ports.ts';
import { ensureRedisServer } from '../../local/servers/redis-install.ts';
import { parseRedisAddress } from '../../shared/redis/address.ts';
import { checkServers } from '../../shared/redis/check-servers.ts';
import { connectRedis, whenReady } from '../../shared/redis/connect.ts';

const root = join(import.meta.dir, '../..');
const folder = await mkdtemp(join(tmpdir(), 'gateway-redis-'));
const readyTimeoutMs = 120_000;
const guide = await Bun.file(join(root, 'docs/deploy.md')).text();
const compose = await Bun.file(join(root, 'deploy/compose.yaml')).text();
const { redis: composed } = parse(compose, { merge: true }).services;

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Its command line, and the REDIS_URL of the programs, as the installation makes them. */
interface Installed {
  readonly command: readonly string[];
  readonly url: string;
}

/** Runs commands of a document in a folder of their own, with other paths than those of a real machine. */
async function run(name: string, script: string): Promise<{ readonly place: string; readonly printed: string }> {
  const place = join(folder, name);
  await mkdir(place);
  const printed = await $`sh -eu -c ${script}`.cwd(place).text();
  return { place, printed };
}

/** Step 2 of the guide. */
async function installDebian(): Promise<Installed> {
  const [, commands = ''] = /^(redis_password=[\s\S]*?)^```$/m.exec(guide) ?? [];
  const script = commands.replaceAll('/etc/redis/', '').replace(/^systemctl .*$/m, '');
  const { place, printed } = await run('debian', script);
  return { command: [join(place, 'redis.conf')], url: printed.trim().replace('REDIS_URL=', '') };
}

/** The first lines of the file. */
async function installCompose(): Promise<Installed> {
  const commands = [...compose.matchAll(/^# {3}(.*)$/gm)].map(([, line = '']) => line);
  const script = commands.filter((line) => !/^(?:chown|PUBLIC_URL)/.test(line)).join('\n');
  const { place } = await run('compose', script);
  const [, ...given]: string[] = composed.command;
  const command = given.map((word) => word.replace('/run/secrets', join(place, 'secrets')));
  return {
    command: command.map((word) => word.replace(/\$\{\w+:-(\w+)\}/, '$1')),
    url: await Bun.file(join(place, 'secrets/redis-url')).text(),
  };
}

/** The command that creates the secret, and the arguments of the pod. */
async function installKubernetes(): Promise<Installed> {
  const [, password = ''] = /^(redis_password=\S+\s\S+\s\S+\s\d+\))/m.exec(guide) ?? [];
  const [, file = ''] = /gateway-redis --from-literal=gateway\.conf=("[^"]+")/.exec(guide) ?? [];
  const [, url = ''] = /--from-literal=redis-url=(\S+)/.exec(guide) ?? [];
  const { place, printed } = await run('kubernetes', `${password}\necho ${file} > gateway.conf\necho ${url}`);
  const manifests = parseAllDocuments(await Bun.file(join(root, 'deploy/kubernetes/one-machine/redis.yaml')).text());
  const [pod] = manifests.map((manifest) => manifest.toJS()).filter(({ kind }) => kind === 'StatefulSet');
  const [, ...args]: string[] = pod.spec.template.spec.containers[0].args;
  const command = args.map((word) => word.replace('/run/secrets/redis', place).replace(/^\/data$/, place));
  return { command, url: printed.trim() };
}

const installations = [
  ['the guide for Debian', await installDebian()],
  ['the compose file', await installCompose()],
  ['the Kubernetes overlay for one machine', await installKubernetes()],
] as const;

describe.each(installations)('the Redis of %s', (name, { command, url }) => {
  test('requires its password, evicts nothing, keeps its data and has a memory limit', async () => {
    const [program, port, data] = [await ensureRedisServer(), await freePort(), join(folder, `${name} data`)];
    await mkdir(data);
    const here = ['--port', String(port), '--bind', '127.0.0.1', '--dir', data];
    const server = Bun.spawn([program, ...command, ...here], { stdout: 'ignore' });
    const address = parseRedisAddress(url.trim());
    const redis = connectRedis({ ...address, server: { host: '127.0.0.1', port } } as typeof address, () => {});
    try {
      await whenReady(redis, readyTimeoutMs);
      const [report] = await checkServers(redis);
      expect(report).toMatchObject({ problems: [], warnings: [], appendOnly: true });
      expect(report?.maxBytes).toBeGreaterThan(0);
      expect(await $`redis-cli -h 127.0.0.1 -p ${port} get key`.text()).toContain('NOAUTH');
    } finally {
      redis.disconnect();
      server.kill();
      await server.exited;
    }
  });
});

test("the compose file's health check of Redis passes only with its password", async () => {
  const password = await Bun.file(join(folder, 'compose/secrets/redis-password')).text();
  const [program, port] = [await ensureRedisServer(), await freePort()];
  const [, check] = composed.healthcheck.test as [string, string];
  const probe = check
    .replaceAll('$$', '$')
    .replace('/run/secrets', join(folder, 'compose/secrets'))
    .replace('redis-cli', `redis-cli -h 127.0.0.1 -p ${port}`);
  const isHealthy = async () => (await $`sh -c ${probe}`.nothrow().quiet()).exitCode === 0;
  expect(await isHealthy()).toBe(false);
  for (const [required, healthy] of [
    [password.trim(), true],
    ['another', false],
  ] as const) {
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--requirepass', required];
    const server = Bun.spawn([program, ...options], { stdout: 'ignore' });
    const redis = connectRedis(parseRedisAddress(`redis://:${required}@127.0.0.1:${port}`), () => {});
    await whenReady(redis, readyTimeoutMs);
    expect([required, await isHealthy()]).toEqual([required, healthy]);
    redis.disconnect();
    server.kill();
    await server.exited;
  }
});
