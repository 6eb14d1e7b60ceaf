/** The systemd units are hardened, complete, and in agreement with the programs. */
import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { buildIfStale } from '../../dashboard/build.ts';
import { EnvironmentReader } from '../../shared/config/environment.ts';
import { loadProxyConfig, memoryBesidesBodies } from '../../shared/config/proxy.ts';
import { killAfterMs, readShutdownBudget } from '../../shared/config/shutdown.ts';
import { isKnown } from './known-variables.ts';

const root = join(import.meta.dir, '../..');
const folder = join(root, 'deploy/systemd');
const units = ['gateway-proxy@.service', 'gateway-admin.service', 'gateway-migrate.service'];
const textOf = (name: string) => Bun.file(join(folder, name)).text();

const analyzer = Bun.which('systemd-analyze');
if (analyzer === null) console.info('skipped the score of the units: no systemd-analyze found.');

test.skipIf(analyzer === null).each(units)('systemd gives %s an exposure below 3', async (unit) => {
  const command = [analyzer ?? '', 'security', '--offline=true', '--no-pager', join(folder, unit)];
  const text = await new Response(Bun.spawn(command, { stderr: 'ignore' }).stdout).text();
  const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(text)?.[1]);
  expect(exposure).toBeGreaterThan(0);
  expect(exposure).toBeLessThan(3);
});

test.skipIf(analyzer === null)('systemd finds no mistake in the units', async () => {
  // Only the installed program is missing here, which ExecStart names.
  const verify = Bun.spawn([analyzer ?? '', 'verify', '--man=no', ...units.map((unit) => join(folder, unit))], {
    stderr: 'pipe',
  });
  const output = (await verify.stderr.text()).split('\n').filter((line) => line.includes('gateway-'));
  expect(
    output.filter((line) => !/Command \/opt\/gateway\/current\/node_modules\/\.bin\/bun is not executable/.test(line)),
  ).toEqual([]);
});

test.each(units)('the unit %s runs a program that exists', async (unit) => {
  const [, program = ''] =
    /^ExecStart=\/opt\/gateway\/current\/node_modules\/\.bin\/bun (\S+)/m.exec(await textOf(unit)) ?? [];
  expect(existsSync(join(root, program))).toBe(true);
});

test.each(units.slice(0, 2))("the unit %s is not killed before the program's shutdown budget is over", async (unit) => {
  const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(await textOf(unit))?.[1]);
  expect(seconds * 1_000).toBeGreaterThan(killAfterMs(readShutdownBudget(new EnvironmentReader({}))));
});

test('the unit of a proxy has the memory for the bodies that it accepts, and for everything else', async () => {
  const gibibytes = Number(/^MemoryMax=(\d+)G$/m.exec(await textOf('gateway-proxy@.service'))?.[1]);
  const { bodiesMaxBytes } = loadProxyConfig({ REDIS_URL: 'redis://localhost:6379', KEY_PEPPER: 'p'.repeat(32) });
  expect(gibibytes * 1024 ** 3).toBeGreaterThanOrEqual(bodiesMaxBytes + memoryBesidesBodies);
});

test('the users of the units can read the built dashboard', async () => {
  await buildIfStale();
  const { mode } = await stat(join(root, 'dashboard/dist'));
  expect(mode & 0o005).toBe(0o005);
});

describe('the examples of environment files', () => {
  test.each(['gateway', 'proxy', 'admin'])('have in %s.env only variables that the programs know', async (name) => {
    const lines = (await textOf(`${name}.env.example`)).matchAll(/^#?([A-Z_]+)=/gm);
    const unknown = [...lines].map(([, variable = '']) => variable).filter((variable) => !isKnown(variable));
    expect(unknown).toEqual([]);
  });
});
