/**
 * Every error that a caller can receive is provoked by a test, and the README tells it as the registry does:
 * `ERRORS=write npm test test/error-registry` writes its table.
 */
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
  const path = join(root, 'README.md');
  const readme = await Bun.file(path).text();
  const table = /(\n## Errors\n[^#]*?\n\| code \| status \| type \| meaning \|\n\|---\|---\|---\|---\|\n)((?:\|.*\n)*)/;
  expect(readme).toMatch(table);
  const rows = Object.entries(errorRegistry).map(
    ([code, { status, type, meaning }]) => `| \`${code}\` | ${status} | \`${type}\` | ${meaning} |`,
  );
  const written = readme.replace(table, (_, before) => `${before}${rows.join('\n')}\n`);
  if (process.env.ERRORS === 'write') await Bun.write(path, written);
  else expect(table.exec(readme)?.[2]?.trimEnd().split('\n')).toEqual(rows);
});
