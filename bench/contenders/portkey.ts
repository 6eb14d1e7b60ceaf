/**
 * Portkey's open-source gateway on Node, a widely used peer. It routes and translates; it does no billing.
 *
 * It is installed once, into a temporary folder. A fresh install resolves to a version of hono that breaks its streams,
 * so the versions that it was built with are pinned.
 */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../local/servers/ports.ts';
import type { Contender } from './contender.ts';
import { startServerProcess } from './server-process.ts';

const version = '1.15.2';
const pinned = { hono: '4.9.7', '@hono/node-server': '1.13.8' };
const directory = join(tmpdir(), `gateway-bench-portkey-${version}`);
const entry = join(directory, 'node_modules/@portkey-ai/gateway/build/start-server.js');
const installTimeoutMs = 180_000;

export const portkey: Contender = {
  name: 'Portkey',
  description: `@portkey-ai/gateway ${version} on Node, routing without billing`,
  start: async (upstreamPort) => {
    const port = await freePort();
    return startServerProcess({
      name: 'portkey',
      port,
      command: [Bun.which('node') ?? 'node', entry, `--port=${port}`, '--headless'],
      environment: { TRUSTED_CUSTOM_HOSTS: '127.0.0.1,localhost' },
      headers: {
        'x-portkey-provider': 'openai',
        'x-portkey-custom-host': `http://127.0.0.1:${upstreamPort}/v1`,
      },
    });
  },
};

/** Undefined if it is installed now, otherwise why not. */
export async function ensurePortkey(): Promise<string | undefined> {
  if (existsSync(entry)) return undefined;
  const [node, npm] = [Bun.which('node'), Bun.which('npm')];
  if (node === null || npm === null) return 'Portkey needs Node and npm';
  await mkdir(directory, { recursive: true });
  const manifest = { private: true, dependencies: { '@portkey-ai/gateway': version, ...pinned }, overrides: pinned };
  await writeFile(join(directory, 'package.json'), JSON.stringify(manifest));
  const command = [npm, 'install', '--ignore-scripts', '--no-audit', '--no-fund'];
  const installed = Bun.spawnSync(command, { cwd: directory, timeout: installTimeoutMs });
  if (installed.exitCode === 0 && existsSync(entry)) return undefined;
  return `Portkey could not be installed: ${installed.stderr.toString().trim().split('\n').at(-1) ?? 'npm failed'}`;
}
