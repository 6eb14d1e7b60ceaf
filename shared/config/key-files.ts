/**
 * Providers' keys in files, as `NAME_FILE` says. A file is read again after a minute, so that a key which is rotated in
 * place (Kubernetes secrets, AWS session tokens) is picked up without a restart.
 */
import { readFileSync } from 'node:fs';
import { monotonicMs } from '../durations.ts';

/** `problem` is for operators. */
export type ProviderKey =
  | { readonly ok: true; readonly key: string }
  | { readonly ok: false; readonly problem: string };

const freshForMs = 60_000;

export class KeyFiles {
  readonly #now: () => number;
  readonly #read = new Map<string, { found: ProviderKey; readAtMs: number }>();

  constructor(now: () => number = monotonicMs) {
    this.#now = now;
  }

  /** `variable` names the file. If the file cannot be read, the key that was read before stays in use. */
  keyIn(path: string, variable: string): ProviderKey {
    const known = this.#read.get(path);
    const nowMs = this.#now();
    if (known !== undefined && nowMs - known.readAtMs < freshForMs) return known.found;
    const read = readKey(path, variable);
    const found = read.ok || known?.found.ok !== true ? read : known.found;
    this.#read.set(path, { found, readAtMs: nowMs });
    return found;
  }
}

function readKey(path: string, variable: string): ProviderKey {
  try {
    const key = readFileSync(path, 'utf8').trim();
    return key === '' ? { ok: false, problem: `${variable} names an empty file` } : { ok: true, key };
  } catch (error) {
    return { ok: false, problem: `${variable} names a file that cannot be read: ${String(error)}` };
  }
}
