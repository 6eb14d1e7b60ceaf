/**
 * No package runs a script of its own during an installation, in any documented way: those scripts run as the
 * installing user.
 */
import { afterAll, expect, test } from 'bun:test';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { $ } from 'bun';

const root = join(import.meta.dir, '../..');
const folder = await mkdtemp(join(tmpdir(), 'gateway-install-'));
const containerfile = await Bun.file(join(root, 'deploy/Containerfile')).text();

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Whether npm runs scripts where it installs, by a project whose script leaves a file. */
async function runsScripts(name: string, settings: string | undefined): Promise<boolean> {
  const project = join(folder, name);
  await mkdir(project);
  await Bun.write(join(project, 'package.json'), JSON.stringify({ name, scripts: { postinstall: 'touch has-run' } }));
  if (settings !== undefined) await copyFile(settings, join(project, '.npmrc'));
  // A setting of the environment would take precedence over the file.
  const { npm_config_ignore_scripts: _, ...environment } = process.env;
  await $`npm install --no-audit --no-fund --offline`.cwd(project).env(environment).quiet();
  return Bun.file(join(project, 'has-run')).exists();
}

test('npm runs no script with the project’s settings, and runs it without them', async () => {
  expect(await runsScripts('without', undefined)).toBe(true);
  expect(await runsScripts('with', join(root, '.npmrc'))).toBe(false);
});

test("the image has npm's settings before it installs anything", () => {
  const [before = '', ...after] = containerfile.split(/^RUN npm run setup$/m);
  expect(after).toHaveLength(1);
  expect(before).toMatch(/^COPY .*\.npmrc.* \.\/$/m);
  expect(before).not.toMatch(/^RUN npm/m);
});

test('no configuration enables scripts again', async () => {
  const paths = ['package.json', ...new Bun.Glob('{deploy,docs,local/npm}/**/*').scanSync(root), 'README.md'];
  const texts = await Promise.all(paths.map(async (path) => [path, await Bun.file(join(root, path)).text()] as const));
  const switching = /ignore-scripts[= ]false|no-ignore-scripts|npm_config_ignore_scripts|npm rebuild|dangerously-allow/;
  expect(texts.filter(([, text]) => switching.test(text)).map(([path]) => path)).toEqual([]);
});
