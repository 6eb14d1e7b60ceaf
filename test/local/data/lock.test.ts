/** The lock of a data folder. */
import { expect, test } from 'bun:test';
import { lockDataDirectory } from '../../../local/data/lock.ts';
import { temporaryDirectories } from '../temporary-directory.ts';

const newDirectory = temporaryDirectories();

test('a second start is refused with the pid of the first, until that one has stopped', () => {
  const directory = newDirectory();
  const first = lockDataDirectory(directory);
  if (!first.ok) throw new Error('A new folder is locked.');
  expect(lockDataDirectory(directory)).toEqual({ ok: false, heldBy: String(process.pid) });
  first.release();
  const next = lockDataDirectory(directory);
  expect(next.ok).toBe(true);
  if (next.ok) next.release();
});
