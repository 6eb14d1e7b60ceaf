/** The registry of advisory locks is complete, has no duplicates, and is the same in every version. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Glob } from 'bun';
import { numberedLocks, subjectLocks, subjectOf } from '../../../admin/database/advisory-locks.ts';

const root = join(import.meta.dir, '../../..');
const sources = new Glob('{admin,proxy,shared,local,bench,test,drizzle}/**/*.{ts,mjs,sql}');
/** A call, and where its first argument begins. */
const call = /\bpg_(?:try_)?advisory_(?:xact_)?(?:un)?lock(?:_shared)?\(\s*(.{0,40})/g;
const registered = /^(\$\{numberedLocks(\.\w+|\[name\])\.number\}|hashtextextended\(\$\{subjectOf\()/;

test('every advisory lock that is taken is in the registry', async () => {
  const calls: string[] = [];
  const unregistered: string[] = [];
  for await (const path of sources.scan({ cwd: root })) {
    const text = await Bun.file(join(root, path)).text();
    for (const [, argument = ''] of text.matchAll(call)) {
      calls.push(path);
      if (!registered.test(argument)) unregistered.push(`${path}: ${argument}`);
    }
  }
  expect(unregistered).toEqual([]);
  expect(calls.length).toBeGreaterThanOrEqual(Object.keys({ ...numberedLocks, ...subjectLocks }).length);
});

test('the numbers and words of advisory locks never change between versions', () => {
  const numbers = Object.values(numberedLocks).map(({ number }) => number);
  expect(numbers).toEqual([7_201_001, 7_201_002, 7_201_003, 7_201_004, 7_201_005, 7_201_006, 7_201_007, 7_201_008]);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(Object.keys(subjectLocks)).toEqual(['company', 'idempotency', 'keys', 'lots', 'repair of account']);
  expect(subjectOf('repair of account', 7)).toBe('repair of account 7');
});
