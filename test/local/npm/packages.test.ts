/** What `npm start` installs: enough to build the dashboard and to run everything, and little more. */
import { expect, test } from 'bun:test';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { Glob } from 'bun';

const root = join(import.meta.dir, '../../..');
const packagesMax = 250;
/** What only `npm run check` runs. */
const checks = /^(local\/patterns\/|dashboard\/generate-api-types\.ts$)/;

interface LockedPackage {
  readonly dev?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

const { dependencies, optionalDependencies } = await Bun.file(join(root, 'package.json')).json();
const { packages }: { packages: Record<string, LockedPackage> } = await Bun.file(
  join(root, 'package-lock.json'),
).json();

test('everything that npm start runs and builds imports only the packages that it installs', async () => {
  const installed = new Set([...Object.keys({ ...dependencies, ...optionalDependencies }), ...builtinModules, 'bun']);
  const strays: string[] = [];
  let found = 0;
  for (const path of new Glob('{proxy,admin,shared,local,dashboard}/**/*.{ts,tsx}').scanSync(root)) {
    if (checks.test(path)) continue;
    const transpiler = new Bun.Transpiler({ loader: path.endsWith('.tsx') ? 'tsx' : 'ts' });
    for (const { path: imported } of transpiler.scanImports(await Bun.file(join(root, path)).text())) {
      const [, name = ''] = /^((?:@[^/]+\/)?[^/]+)/.exec(imported) ?? [];
      if (/^[./]|^(?:node|bun):/.test(imported)) continue;
      found += 1;
      if (!installed.has(name)) strays.push(`${path}: ${imported}`);
    }
  }
  expect(found).toBeGreaterThan(100);
  expect(strays).toEqual([]);
});

test(`npm start installs at most ${packagesMax} packages on one machine`, () => {
  const isForLinux = ({ os = ['linux'], cpu = ['x64'], libc = ['glibc'] }: LockedPackage) =>
    os.includes('linux') && cpu.includes('x64') && libc.includes('glibc');
  const names = Object.entries(packages).filter(([path, entry]) => path !== '' && !entry.dev && isForLinux(entry));
  expect(names.length).toBeGreaterThan(100);
  expect(names.length).toBeLessThanOrEqual(packagesMax);
});

test('no package that npm start installs needs a newer Node than the project', async () => {
  const { engines } = await Bun.file(join(root, 'package.json')).json();
  const oldest = `${/\d+/.exec(engines.node)?.[0]}.20.0`;
  const unfit = Object.entries(packages).flatMap(([path, entry]) => {
    const range: unknown = Object(Object(entry).engines).node;
    return path === '' || typeof range !== 'string' || Bun.semver.satisfies(oldest, range) ? [] : `${path}: ${range}`;
  });
  expect(unfit).toEqual([]);
});
