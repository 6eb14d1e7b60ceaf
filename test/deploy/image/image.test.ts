/**
 * The images, built and started: they serve the main job as an ordinary user on a read-only file system. It takes minutes
 * and `apt-get install buildah runc mmdebstrap`, so only `bun run rehearse:image` does it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import type { Child } from '../../../local/processes/child.ts';
import { waitUntilReady } from '../../../local/processes/ready.ts';
import { freePort } from '../../../local/servers/ports.ts';
import { guardTimeoutMs, readLedger, waitFor } from '../../harness/account-view.ts';
import {
  type ScriptedProvider,
  startScriptedProvider,
  streamedResponse,
} from '../../harness/providers/scripted-provider.ts';
import { testCatalogue } from '../../harness/providers/test-catalogue.ts';
import { type Harness, startHarness } from '../../harness.ts';
import { type Image, type ImageStore, missingTools, openImageStore } from './build.ts';
import { type ContainerOptions, startContainer } from './container.ts';

const buildTimeoutMs = 20 * 60_000;
const cleanUpTimeoutMs = 5 * 60_000;
const readyTimeoutMs = 120_000;
const stopping = { signal: 'SIGTERM', graceMs: 30_000 } as const;

const isWanted = process.env.IMAGES === 'build';
const missing = isWanted ? missingTools() : [];
const isRoot = process.geteuid?.() === 0;
if (missing.length > 0) console.info(`skipped the images: run \`apt-get install ${missing.join(' ')}\`.`);
if (isWanted && !isRoot) console.info('skipped the images: only root can mount them here.');

describe.skipIf(!isWanted || missing.length > 0 || !isRoot)('an image', () => {
  let folder: string;
  let store: ImageStore;
  let images: { proxy: Image; admin: Image };
  let harness: Harness;
  let provider: ScriptedProvider;
  const started: Child[] = [];

  const start = async (name: 'proxy' | 'admin', options: Partial<ContainerOptions> = {}) => {
    const directory = join(folder, `container-${started.length}`);
    const child = await startContainer({
      image: images[name],
      directory,
      secrets: join(folder, 'secrets'),
      ...options,
      environment: {
        HOST: '127.0.0.1',
        KEY_PEPPER_FILE: '/run/secrets/key-pepper',
        REDIS_URL_FILE: '/run/secrets/redis-url',
        ...(name === 'admin' && {
          DATABASE_URL_FILE: '/run/secrets/database-url',
          JWT_SECRET_FILE: '/run/secrets/jwt-secret',
          CBR_URL: 'off',
        }),
        ...options.environment,
      },
    });
    started.push(child);
    return child;
  };

  const startProgram = async (name: 'proxy' | 'admin') => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const child = await start(name, {
      environment: { [name === 'proxy' ? 'PROXY_PORT' : 'ADMIN_PORT']: String(port) },
    });
    const isReady = async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.ok === true;
    await waitUntilReady(child, { isReady, timeoutMs: readyTimeoutMs, stop: stopping });
    return { url, port, child };
  };

  /** What a command in the image prints, and how it ends. */
  const runIn = async (name: 'proxy' | 'admin', options: Partial<ContainerOptions>) => {
    const child = await start(name, options);
    const ended = await child.exited;
    return { ended, output: child.lastLines() };
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-images-'));
    await chmod(folder, 0o755);
    store = await openImageStore(join(folder, 'images'));
    images = { proxy: await store.build('proxy'), admin: await store.build('admin') };
    harness = await startHarness();
    provider = startScriptedProvider();
    await harness.applyCatalogue(testCatalogue(provider.baseUrl));
    const secrets = {
      'key-pepper': harness.keyPepper,
      'jwt-secret': harness.jwtSecret,
      'redis-url': harness.redisUrl,
      'database-url': harness.databaseUrl,
    };
    await mkdir(join(folder, 'secrets'));
    for (const [name, text] of Object.entries(secrets)) await Bun.write(join(folder, 'secrets', name), text);
  }, buildTimeoutMs);

  afterAll(async () => {
    for (const child of started) await child.stop(stopping);
    await provider?.stop();
    await harness?.stop();
    await store?.remove();
    await rm(folder, { recursive: true, force: true });
  }, cleanUpTimeoutMs);

  test('migrates, and serves and books the main job', async () => {
    const migrated = await runIn('admin', { command: ['admin/cli/main.ts', 'migrate'] });
    expect(migrated).toEqual({ ended: 'exit code 0', output: expect.stringContaining('The schema is up to date.') });
    const [admin, proxy] = [await startProgram('admin'), await startProgram('proxy')];

    const page = await fetch(admin.url);
    expect(await page.text()).toContain('<script');
    const customer = await harness.createCustomer({ usd: '5' });
    provider.on('upstream-chat', streamedResponse({ tokens: 25, promptTokens: 10 }));
    const client = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: customer.proxyKey, maxRetries: 0 });
    const stream = await client.chat.completions.create({
      model: 'test/chat',
      messages: [{ role: 'user', content: 'Hello?' }],
      stream: true,
    });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    expect(text.trim().split(' ')).toHaveLength(25);
    // 10 × 0.60 + 25 × 1.80 USD per million tokens, markup included.
    await waitFor('the charge', guardTimeoutMs, async () => {
      const { spentNano } = await readLedger(harness, customer.accountId);
      return spentNano === 51_000n;
    });

    for (const [name, { port, child }] of Object.entries({ admin, proxy }) as [keyof typeof images, typeof proxy][]) {
      const [, ...check] = images[name].config.Healthcheck?.Test ?? [];
      const environment = { PROXY_PORT: String(port), ADMIN_PORT: String(port) };
      expect((await runIn(name, { entrypoint: check, environment })).ended).toBe('exit code 0');
      await child.stop(stopping);
      expect(await child.exited).toBe('exit code 0');
    }
  });

  test.each(['proxy', 'admin'] as const)('runs %s as an ordinary user that can write to /tmp only', async (name) => {
    const script = `
      const { writeFileSync } = require('node:fs');
      const canWrite = (path) => { try { writeFileSync(path, ''); return true; } catch (error) { return error.code; } };
      const paths = ['/tmp/x', '/x', '/etc/x', '/opt/gateway/x', '/run/secrets/x'];
      console.log(JSON.stringify([process.getuid(), process.getgid(), ...paths.map(canWrite)]));
    `;
    const { output } = await runIn(name, { entrypoint: ['bun', '-e', script] });
    expect(JSON.parse(output)).toEqual([65532, 65532, true, 'EROFS', 'EROFS', 'EROFS', 'EROFS']);
  });

  test.each(['proxy', 'admin'] as const)('has only the files that %s runs', async (name) => {
    const { rootfs, config } = images[name];
    const has = (path: string) => Bun.spawnSync(['test', '-e', join(rootfs, path)]).exitCode === 0;
    expect(config.User).toBe('65532:65532');
    expect(config.StopSignal).toBe('SIGTERM');
    expect(config.Labels).toMatchObject({ 'org.opencontainers.image.version': '0.0.0-test' });
    expect(['usr/local/bin/bun', 'opt/gateway/shared', `opt/gateway/${name}`].filter((path) => !has(path))).toEqual([]);
    const strays = ['test', 'bench', 'docs', 'local', 'dashboard/app', 'node_modules/typescript', 'node_modules/react'];
    const other = name === 'proxy' ? ['admin', 'drizzle', 'dashboard'] : ['proxy'];
    expect([...strays, ...other].filter((path) => has(`opt/gateway/${path}`))).toEqual([]);
    const kilobytes = Number(Bun.spawnSync(['du', '-sk', rootfs]).stdout.toString().split('\t')[0]);
    console.info(`the image of ${name} has ${Math.round(kilobytes / 1024)} MiB`);
    expect(kilobytes).toBeLessThan(600 * 1024);
  });
});
