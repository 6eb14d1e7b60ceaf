/**
 * Lets one `npm start` at a time use a data folder.
 *
 * Invariant: the operating system holds the lock, through SQLite, so it is released when its process ends, however
 * it ends; a lock file could be stale.
 */
import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { readIfPresent, writePrivateFile } from './private-file.ts';

/** `heldBy` is the id of the process that uses the folder. */
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
