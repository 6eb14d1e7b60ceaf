/**
 * The keys that Redis has confirmed to this process. Of a request with any other key nothing but the header is read until
 * Redis has been asked, so that a stranger can cause no work. Whether a known key may be used now is checked by the reserve;
 * one that was deleted is removed there. From which addresses it may be used is kept as Redis said it last.
 */
import type { AddressLists } from '../../../shared/addresses/address-lists.ts';
import { monotonicMs } from '../../../shared/durations.ts';

const keysMax = 100_000;

interface KnownKey {
  /** The hash that the key was created with. */
  readonly firstHash: string;
  /** Undefined if it may be used from anywhere. */
  readonly addresses: AddressLists | undefined;
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

  confirm(keyHash: string, { firstHash, addresses }: KnownKey): void {
    this.#keys.set(keyHash, { firstHash, addresses, confirmedAtMs: this.#now() });
    if (this.#keys.size <= keysMax) return;
    for (const oldest of this.#keys.keys()) {
      this.#keys.delete(oldest);
      break;
    }
  }

  /** Of a key that is known. */
  learnAddresses(keyHash: string, addresses: AddressLists | undefined): void {
    const known = this.#keys.get(keyHash);
    if (known !== undefined) this.#keys.set(keyHash, { ...known, addresses });
  }

  forget(keyHash: string): void {
    this.#keys.delete(keyHash);
  }
}
