/** The start-up time of the proxy: from source, and compiled into one file with bytecode. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import runtimeEnvironment from '../../local/npm/runtime-environment.json' with { type: 'json' };
import { waitUntil } from '../../local/processes/poll.ts';
import { freePort } from '../../local/servers/ports.ts';
import { startServerProcess } from '../contenders/server-process.ts';
import { withSpread } from '../report/format.ts';
import type { Section } from '../report/section.ts';
import type { Stage } from '../stage/stage.ts';

const root = join(import.meta.dir, '../..');
const entry = join(root, 'proxy/main.ts');
const readyTimeoutMs = 20_000;
const everyMs = 2;

export async function startUp(stage: Stage): Promise<Section> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-bench-bundle-'));
  const notices: string[] = [];
  try {
    const programs = [{ name: 'bun proxy/main.ts', command: [process.execPath, entry] }];
    const compiled = await compileInto(directory);
    if (compiled.ok) programs.push({ name: 'bun build --compile --minify --bytecode', command: [compiled.file] });
    else notices.push(`The proxy could not be compiled: ${compiled.problem}`);
    const times = new Map<string, number[]>(programs.map(({ name }) => [name, []]));
    for (let round = 1; round <= stage.rounds; round += 1) {
      for (const { name, command } of programs) times.get(name)?.push(await timeOne(stage, command));
    }
    return {
      id: 'startup',
      title: 'Start-up of the proxy',
      method: 'From the start of the process until `/readyz` returns 200, on the core of the bench. Milliseconds.',
      tables: [{ columns: ['', 'ms'], rows: [...times].map(([name, values]) => [name, withSpread(values)]) }],
      notices,
      figures: [...times],
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function compileInto(directory: string): Promise<{ ok: true; file: string } | { ok: false; problem: string }> {
  const file = join(directory, 'proxy');
  // Bytecode of ES modules, and so of a top-level await, exists in a compiled program only.
  const flags = ['--compile', '--minify', '--bytecode', '--format=esm', `--outfile=${file}`];
  const built = Bun.spawn([process.execPath, 'build', ...flags, entry], {
    cwd: root,
    stderr: 'pipe',
    stdout: 'ignore',
  });
  const problem = await new Response(built.stderr).text();
  if ((await built.exited) === 0) return { ok: true, file };
  return { ok: false, problem: problem.trim().split('\n').at(0) ?? '' };
}

async function timeOne({ stores }: Stage, command: string[]): Promise<number> {
  const port = await freePort();
  const environment = { ...stores.proxyEnvironment, PROXY_PORT: String(port), ...runtimeEnvironment };
  const startedAtMs = performance.now();
  const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok === true;
  const starting = startServerProcess({ name: 'proxy', port, command, environment });
  const became = await waitUntil(isReady, { timeoutMs: readyTimeoutMs, everyMs });
  const tookMs = performance.now() - startedAtMs;
  await (await starting).stop();
  if (!became) throw new Error(`${command.join(' ')} did not become ready`);
  return tookMs;
}
