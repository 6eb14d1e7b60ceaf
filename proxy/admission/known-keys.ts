/**
 * The keys that Redis has confirmed to this process. Of a request with any other key nothing but the header is read until
 * Redis has been asked, so that a stranger can cause no work. Whether a known key may be used now is judged by the reserve;
 * one that was deleted is forgotten there.
 */
const keysMax = 100_000;

export class KnownKeys {
  /** Hashes; the one that was confirmed first comes first. */
  readonly #hashes = new Set<string>();

  has(keyHash: string): boolean {
    return this.#hashes.has(keyHash);
  }

  confirm(keyHash: string): void {
    if (this.#hashes.has(keyHash)) return;
    this.#hashes.add(keyHash);
    if (this.#hashes.size <= keysMax) return;
    for (const oldest of this.#hashes) {
      this.#hashes.delete(oldest);
      break;
    }
  }

  forget(keyHash: string): void {
    this.#hashes.delete(keyHash);
  }
}
