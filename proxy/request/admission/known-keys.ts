/**
 * The keys that Redis has confirmed to this process. Of a request with any other key nothing but the header is read until
 * Redis has been asked, so that a stranger can cause no work. Whether a known key may be used now is checked by the reserve;
 * one that was deleted is removed there.
 */
import { monotonicMs } from '../../../shared/durations.ts';

const keysMax = 100_000;

interface KnownKey {
  readonly firstHash: string;
  readonly confirmedAtMs: number;
}

export class KnownKeys {
  /** By hash; the one that was confirmed first comes first. */
  readonly #keys = new Map<string, KnownKey>();
  readonly #now: () => number;

  constructor(now: () => number = monotonicMs) {
    this.#now = now;
  }

  /** The hash that the key was created with; undefined if Redis has to be asked, or was asked longer ago than this. */
  firstHashOf(keyHash: string, maxAgeMs: number): string | undefined {
    const known = this.#keys.get(keyHash);
    if (known === undefined) return undefined;
    return this.#now() - known.confirmedAtMs <= maxAgeMs ? known.firstHash : undefined;
  }

  confirm(keyHash: string, firstHash: string): void {
    this.#keys.set(keyHash, { firstHash, confirmedAtMs: this.#now() });
    if (this.#keys.size <= keysMax) return;
    for (const oldest of this.#keys.keys()) {
      this.#keys.delete(oldest);
      break;
    }
  }

  forget(keyHash: string): void {
    this.#keys.delete(keyHash);
  }
}
