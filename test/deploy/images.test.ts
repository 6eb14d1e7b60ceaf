/** What the images contain, without building them: the files that each copies are enough for its program. */
import { afterAll, expect, test } from 'bun:test';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startScriptedProvider } from '../harness/providers/scripted-provider.ts';
import { testCatalogue } from '../harness/providers/test-catalogue.ts';
import { startHarness } from '../harness.ts';

const root = join(import.meta.dir, '../..');
const containerfile = await Bun.file(join(root, 'deploy/Containerfile')).text();
const harness = await startHarness();
const provider = startScriptedProvider();
const folder = await mkdtemp(join(tmpdir(), 'gateway-image-'));

afterAll(async () => {
  await provider.stop();
  await harness.stop();
  await rm(folder, { recursive: true, force: true });
});

/** What a stage copies from the repository. */
function copiedBy(stage: string): string[] {
  const [, text = ''] =
    new RegExp(`^FROM \\S+ AS ${stage}\n([\\s\\S]*?)(?=^FROM|(?![\\s\\S]))`, 'm').exec(containerfile) ?? [];
  const lines = [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].map(([, sources = '']) => sources.split(' '));
  return lines.flat();
}

/** Results of earlier builds, as in .dockerignore. */
const isIgnored = /\/dashboard\/(?:dist|generated|screenshots)$/;

/** A folder with what a stage has. */
async function unpack(name: 'build' | 'proxy' | 'admin'): Promise<string> {
  const image = join(folder, name);
  const inherited = name === 'build' ? [] : copiedBy('runtime');
  for (const path of [...inherited, ...copiedBy(name)]) {
    await cp(join(root, path), join(image, path), { recursive: true, filter: (from) => !isIgnored.test(from) });
  }
  await symlink(join(root, 'node_modules'), join(image, 'node_modules'));
  return image;
}

test('the image of each program has every file that it needs to start', async () => {
  await harness.applyCatalogue(testCatalogue(provider.baseUrl));
  const admin = await harness.startAdmin({}, await unpack('admin'));
  expect((await fetch(`${admin.url}/api/docs/json`)).status).toBe(200);
  const proxy = await harness.startProxy({}, await unpack('proxy'));
  expect(await (await fetch(`${proxy.url}/v1/models`)).json()).toMatchObject({ object: 'list' });
  expect((await fetch(`${proxy.url}/v1/openapi.json`)).status).toBe(200);
});

test("admin's image can migrate", async () => {
  const image = join(folder, 'admin');
  const { exited } = Bun.spawn([process.execPath, 'admin/cli/main.ts', 'migrate'], {
    cwd: image,
    env: { PATH: process.env.PATH, DATABASE_URL: harness.databaseUrl, REDIS_URL: harness.redisUrl },
    stdout: 'ignore',
  });
  expect(await exited).toBe(0);
});

test("the build stage has the document that the dashboard's limits are generated from", async () => {
  // The linter lets the dashboard import nothing else from outside its folder.
  const image = await unpack('build');
  const make = "await (await import('./dashboard/generate-limits.ts')).writeLimits()";
  const { exited } = Bun.spawn([process.execPath, '-e', make], { cwd: image, stdout: 'ignore' });
  expect(await exited).toBe(0);
  expect(await Bun.file(join(image, 'dashboard/generated/limits.ts')).exists()).toBe(true);
});

test('no image runs as root, and each has a health check and labels', () => {
  expect(containerfile).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
  expect(containerfile.match(/^HEALTHCHECK /gm)).toHaveLength(2);
  expect(containerfile).toContain('org.opencontainers.image.version');
});

test('the programs import only packages that the images keep', async () => {
  const { dependencies } = await Bun.file(join(root, 'package.json')).json();
  const transpiler = new Bun.Transpiler({ loader: 'ts' });
  const strays: string[] = [];
  for (const path of new Bun.Glob('{proxy,admin,shared}/**/*.ts').scanSync(root)) {
    for (const { path: name } of transpiler.scanImports(await Bun.file(join(root, path)).text())) {
      const packageName = /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? '';
      const isOwn = name.startsWith('.') || /^(?:node:|bun:|bun$)/.test(name);
      if (!isOwn && !Object.hasOwn(dependencies, packageName)) strays.push(`${path}: ${name}`);
    }
  }
  expect(strays).toEqual([]);
});
