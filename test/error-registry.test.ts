/**
 * Every error that a caller can receive is provoked by a test, and the documentation matches the registry:
 * `ERRORS=write npm test test/error-registry` writes its table.
 */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Glob } from 'bun';
import { errorRegistry } from '../shared/errors.ts';

const root = join(import.meta.dir, '..');

test('every error code is expected by a test', async () => {
  const paths = await Array.fromAsync(new Glob('**/*.test.ts').scan({ cwd: import.meta.dir, absolute: true }));
  const texts = await Promise.all(paths.map((path) => Bun.file(path).text()));
  const unexpected = Object.keys(errorRegistry).filter((code) => !texts.some((text) => text.includes(`'${code}'`)));
  expect(unexpected).toEqual([]);
});

test('the documentation lists every code with its status, its type and its meaning', async () => {
  const path = join(root, 'docs/api.md');
  const document = await Bun.file(path).text();
  const table = /(\n## Errors\n[^#]*?\n\| code \| status \| type \| meaning \|\n\|---\|---\|---\|---\|\n)((?:\|.*\n)*)/;
  expect(document).toMatch(table);
  const rows = Object.entries(errorRegistry).map(
    ([code, { status, type, meaning }]) => `| \`${code}\` | ${status} | \`${type}\` | ${meaning} |`,
  );
  const written = document.replace(table, (_, before) => `${before}${rows.join('\n')}\n`);
  if (process.env.ERRORS === 'write') await Bun.write(path, written);
  else expect(table.exec(document)?.[2]?.trimEnd().split('\n')).toEqual(rows);
});
