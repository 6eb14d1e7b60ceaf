/** The project's rules that no linter checks. */
import { describe, expect, test } from 'bun:test';
import { join, relative } from 'node:path';
import { Glob } from 'bun';
import { campaignFiles, campaignMark } from './harness/campaigns.ts';

const root = join(import.meta.dir, '..');
const testNameLengthMax = 100;

async function filesOf(pattern: string): Promise<string[]> {
  const paths = await Array.fromAsync(new Glob(pattern).scan({ cwd: root, absolute: true }));
  return paths.filter((path) => !/\/(?:node_modules|generated)\//.test(path)).sort();
}

const sources = await filesOf('{proxy,admin,shared,local,test,bench,dashboard,deploy}/**/*.{ts,tsx,mjs}');
const scripts = await filesOf('{proxy,admin,shared}/**/*.lua');
const textOf = (path: string) => Bun.file(path).text();
const nameOf = (path: string) => relative(root, path);

test('every source file begins with a header that says what it is for', async () => {
  const headless: string[] = [];
  for (const path of sources) {
    const text = (await textOf(path)).replace(/^#!.*\n/, '');
    if (!/^\/\*\*[\s\S]{10,}?\*\//.test(text)) headless.push(nameOf(path));
  }
  expect(headless).toEqual([]);
});

test('every Lua script documents its keys, its arguments and what it returns', async () => {
  const silent: string[] = [];
  for (const path of scripts) {
    if (path.includes('/scripts/common/')) continue;
    const text = await textOf(path);
    // The wallet's scripts build their keys' names themselves, and their arguments have names.
    const parts = [/^-- (KEYS:|Works on )/m, /^-- (ARGV:|arguments:)/m, /^-- Returns/m];
    if (!parts.every((part) => part.test(text))) silent.push(nameOf(path));
  }
  expect(scripts.length).toBeGreaterThan(0);
  expect(silent).toEqual([]);
});

test(`the name of a test is a single claim of less than ${testNameLengthMax} characters`, async () => {
  // The first argument of `test` and its variants, before the test function.
  const name =
    /(?:\btest(?:\.\w+)*|[)\]])\(\s*('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`),\s*(?:async\b|\(|\w+\s*=>)/g;
  const unfit: string[] = [];
  let found = 0;
  for (const path of sources.filter((source) => source.endsWith('.test.ts'))) {
    for (const [, quoted = ''] of (await textOf(path)).matchAll(name)) {
      found += 1;
      const claim = quoted.slice(1, -1).replace(` ${campaignMark}`, '');
      if (claim.length >= testNameLengthMax || claim.includes('; ')) unfit.push(`${nameOf(path)}: ${claim}`);
    }
  }
  expect(found).toBeGreaterThan(1_000);
  expect(unfit).toEqual([]);
});

test('every file with a campaign marks which of its tests are one', async () => {
  const files = await campaignFiles();
  const texts = await Promise.all(files.map((file) => textOf(join(root, file))));
  expect(files.length).toBeGreaterThan(30);
  // The tests of these two are in a file that both call.
  const called = ['test/chaos/programs.test.ts', 'test/chaos/redis.test.ts'];
  expect(files.filter((_, index) => !texts[index]?.includes(campaignMark))).toEqual(called);
});

test('no comment postpones work', async () => {
  const marks: string[] = [];
  for (const path of [...sources, ...scripts]) {
    if (path === import.meta.path) continue;
    const text = await textOf(path);
    if (/\b(TODO|FIXME|XXX)\b|@ts-ignore|@ts-nocheck/.test(text)) marks.push(nameOf(path));
    // Tests may inspect responses of any shape.
    if (text.includes('biome-ignore') && !nameOf(path).startsWith('test/')) marks.push(nameOf(path));
  }
  expect(marks).toEqual([]);
});

test('money is divided, and therefore rounded, only in shared/money.ts', async () => {
  const dividing: string[] = [];
  for (const path of sources) {
    const name = nameOf(path);
    if (name === 'shared/money.ts' || /^(test|bench)\//.test(name)) continue;
    for (const [line] of (await textOf(path)).matchAll(/^.*(?:Nano|Pico|Kopecks|[pP]rice)\)?n? [/%] .*$/gm)) {
      dividing.push(`${name}: ${line.trim()}`);
    }
  }
  expect(dividing).toEqual([]);
});

describe('imports', () => {
  const importPattern = /(?:from|import)\s*\(?\s*'([^']+)'/g;

  /** Every file and package that a program reaches, directly or not. */
  async function reach(entry: string): Promise<{ files: Set<string>; packages: Set<string> }> {
    const files = new Set<string>();
    const packages = new Set<string>();
    const waiting = [join(root, entry)];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (files.has(path)) continue;
      files.add(path);
      for (const [, target = ''] of (await textOf(path)).matchAll(importPattern)) {
        if (!target.startsWith('.')) packages.add(target);
        else if (target.endsWith('.ts')) waiting.push(join(path, '..', target));
      }
    }
    return { files: new Set([...files].map(nameOf)), packages };
  }

  test('the proxy reaches no file of admin, no table, no drizzle, no Postgres and no mailer', async () => {
    const { files, packages } = await reach('proxy/main.ts');
    expect(files.size).toBeGreaterThan(20);
    expect([...files].filter((file) => !/^(proxy|shared)\//.test(file))).toEqual([]);
    expect([...packages].filter((name) => /^(drizzle|postgres|nodemailer)/.test(name))).toEqual([]);
  });

  test('admin and its command line reach no file of the proxy', async () => {
    for (const entry of ['admin/main.ts', 'admin/cli/main.ts']) {
      const { files } = await reach(entry);
      expect([...files].filter((file) => !/^(admin|shared)\//.test(file))).toEqual([]);
    }
  });

  test("only shared/wallet knows the names of the wallet's keys", async () => {
    const knowing: string[] = [];
    for (const path of sources) {
      const name = nameOf(path);
      if (/^(shared\/wallet|test)\//.test(name)) continue;
      if (/:wallet:|:request:|:holds|:usage`|wallet-keys/.test(await textOf(path))) knowing.push(name);
    }
    expect(knowing).toEqual([]);
  });
});
