/** Every error that a caller can receive is provoked by a test, and the README tells it as the registry does. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Glob } from 'bun';
import { errorRegistry } from '../shared/errors.ts';

const root = join(import.meta.dir, '..');

test('every code is expected by a test', async () => {
  const paths = await Array.fromAsync(new Glob('**/*.test.ts').scan({ cwd: import.meta.dir, absolute: true }));
  const texts = await Promise.all(paths.map((path) => Bun.file(path).text()));
  const unexpected = Object.keys(errorRegistry).filter((code) => !texts.some((text) => text.includes(`'${code}'`)));
  expect(unexpected).toEqual([]);
});

test('the README lists every code with its status, its type and its meaning', async () => {
  const readme = await Bun.file(join(root, 'README.md')).text();
  const section = /\n## Errors\n([\s\S]*?)\n## /.exec(readme)?.[1] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  expect(rows).toEqual(
    Object.entries(errorRegistry).map(
      ([code, { status, type, meaning }]) => `| \`${code}\` | ${status} | \`${type}\` | ${meaning} |`,
    ),
  );
});
