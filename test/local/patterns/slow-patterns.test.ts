/** The check in `npm run check` that no regular expression of the project backtracks over untrusted text. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Glob } from 'bun';
import { findSlowPatterns } from '../../../local/patterns/slow-patterns.ts';

const problemsOf = (text: string) => findSlowPatterns('sample.ts', text).map(({ line }) => line);

describe('the pattern in line 2 is reported:', () => {
  test.each([
    ['three neighbours that take the same spaces', String.raw`const p = /№\s*(?:на\s+оплату)?\s*(?:№|#)?\s*(\d+)/giu;`],
    ['a repetition of a repetition', 'const p = /^(?:a+)+$/;'],
    ['an end that is looked for from each place', String.raw`const p = text.replace(/\/+$/, '');`],
    ['a schema’s pattern', String.raw`const p = Type.String({ pattern: '^\\d+\\d+x$' });`],
    ['a schema’s pattern that has a name', String.raw`const f = '^\\d+\\d+x$'; const p = Type.String({ pattern: f });`],
    ['a pattern that is built of a template', ['const p = new RegExp(`^(?:$', '{word}+)+$`);'].join('')],
    ['a pattern that the check cannot read', 'const p = new RegExp(from(elsewhere));'],
  ])('%s', (_, source) => {
    expect(problemsOf(`// A comment.\n${source}\n`)).toEqual([2]);
  });
});

test('patterns that take linear time are not reported', () => {
  const sources = [
    '/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i',
    String.raw`/(?:сч[её]т\p{L}*|№) ?(?:на оплату)? ?([\p{L}\d][\p{L}\d/-]*)/giu`,
    String.raw`/"(?:[^"\\]|\\.)*"/`,
    ['new RegExp(`^$', '{name}=(\\d+)$`)'].join(''),
  ];
  expect(problemsOf(sources.map((source) => `use(${source});`).join('\n'))).toEqual([]);
});

test('`npm run check` looks for slow patterns', async () => {
  const check = await Bun.file(join(import.meta.dir, '../../../local/npm/check.mjs')).text();
  expect(check).toContain("'local/patterns/main.ts'");
});

test('the code that reads bank statements has no slow patterns', async () => {
  const folder = join(import.meta.dir, '../../../admin/payments/bank');
  const names = await Array.fromAsync(new Glob('*.ts').scan(folder));
  expect(names).toContain('match-line.ts');
  for (const name of names) expect(findSlowPatterns(name, await Bun.file(join(folder, name)).text())).toEqual([]);
});
