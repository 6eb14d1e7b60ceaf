/**
 * Files and folders that only their owner may read: passwords, keys and the data of the embedded servers.
 *
 * Invariant: a file is replaced as a whole (written to a draft, then renamed), so a reader or a start after a power
 * cut finds the old text or the new one, never a partial one.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const ownerOnlyFile = 0o600;
const ownerOnlyDirectory = 0o700;

export function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}.draft`;
  writeFileSync(draft, text, { mode: ownerOnlyFile });
  // The mode above applies only to a new file, and a killed process with the same id may have left a draft.
  chmodSync(draft, ownerOnlyFile);
  renameSync(draft, path);
}

export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: ownerOnlyDirectory });
  chmodSync(path, ownerOnlyDirectory);
}

export function readIfPresent(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** The secret in a file; created with `make` if the file does not exist yet. */
export function readOrMakeSecret(path: string, make: () => string): string {
  const kept = readIfPresent(path)?.trim();
  if (kept !== undefined && kept !== '') return kept;
  const secret = make();
  writePrivateFile(path, `${secret}\n`);
  return secret;
}
