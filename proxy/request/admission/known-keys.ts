/**
 * The keys that Redis has confirmed to this process. Of a request with any other key nothing but the header is read until
 * Redis has been asked, so that a stranger can cause no work. Whether a known key may be used now is checked by the reserve;
 * one that was deleted is removed there. Its rules are kept as Redis said them last.
 */
import { monotonicMs } from '../../../shared/durations.ts';
import type { KeyRules } from '../../../shared/keys/key-rules.ts';

const keysMax = 100_000;

interface KnownKey {
  readonly accountId: number;
  /** The hash that the key was created with. */
  readonly firstHash: string;
  readonly rules: KeyRules | undefined;
}

interface ConfirmedKey extends KnownKey {
  readonly confirmedAtMs: number;
}

export class KnownKeys {
  /** By hash; the one that was confirmed first comes first. */
  readonly #keys = new Map<string, ConfirmedKey>();
  readonly #now: () => number;

  constructor(now: () => number = monotonicMs) {
    this.#now = now;
  }

  /** Undefined if Redis has to be asked, or was asked longer ago than this. */
  find(keyHash: string, maxAgeMs: number): KnownKey | undefined {
    const known = this.#keys.get(keyHash);
    return known !== undefined && this.#now() - known.confirmedAtMs <= maxAgeMs ? known : undefined;
  }

  confirm(keyHash: string, known: KnownKey): void {
    this.#keys.set(keyHash, { ...known, confirmedAtMs: this.#now() });
    if (this.#keys.size <= keysMax) return;
    for (const oldest of this.#keys.keys()) {
      this.#keys.delete(oldest);
      break;
    }
  }

  /** Of a key that is known. */
  learnRules(keyHash: string, rules: KeyRules | undefined): void {
    const known = this.#keys.get(keyHash);
    if (known !== undefined) this.#keys.set(keyHash, { ...known, rules });
  }

  forget(keyHash: string): void {
    this.#keys.delete(keyHash);
  }
}
