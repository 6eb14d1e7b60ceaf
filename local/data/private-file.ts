/**
 * Files and folders that only their owner may read: passwords, keys and the data of the embedded servers.
 *
 * Invariant: a file is replaced as a whole (written beside it, then renamed), so a reader or a start after a power
 * cut finds the old text or the new one, never half of either.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const ownerOnlyFile = 0o600;
const ownerOnlyDirectory = 0o700;

export function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}.draft`;
  writeFileSync(draft, text, { mode: ownerOnlyFile });
  // The mode above counts only for a new file, and a draft of a killed process with our number may still be there.
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

/** The text of a secret's file; made with `make` and kept when it is not there yet. */
export function readOrMakeSecret(path: string, make: () => string): string {
  const kept = readIfPresent(path)?.trim();
  if (kept !== undefined && kept !== '') return kept;
  const secret = make();
  writePrivateFile(path, `${secret}\n`);
  return secret;
}
