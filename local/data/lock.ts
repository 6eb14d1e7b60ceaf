/**
 * Lets one `npm start` at a time use a data folder.
 *
 * Invariant: the lock is one of the operating system's, held through SQLite, so it vanishes with its process however
 * that ends; a note left in a file would have to be judged.
 */
import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { readIfPresent, writePrivateFile } from './private-file.ts';

/** `heldBy` is the number of the process that has the folder. */
export function lockDataDirectory(dataDir: string): { ok: true; release(): void } | { ok: false; heldBy: string } {
  const noteFile = join(dataDir, 'supervisor.pid');
  const database = new Database(join(dataDir, 'supervisor.lock'), { create: true });
  try {
    database.run('PRAGMA busy_timeout = 0');
    database.run('BEGIN EXCLUSIVE');
  } catch {
    database.close();
    return { ok: false, heldBy: readIfPresent(noteFile)?.trim() ?? 'unknown' };
  }
  writePrivateFile(noteFile, `${process.pid}\n`);
  return { ok: true, release: () => database.close() };
}
