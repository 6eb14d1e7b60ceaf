/**
 * The leases of this process, one for each key that makes requests in quick succession: it gets one with its second request
 * within a second, and keeps it as long as requests begin.
 */
import { Lease, type LeasedKey, type LeasedRequest, type LeaseServices } from './lease.ts';

/** Requests of a key within this time are worth a lease. */
const successionMs = 1_000;
/** A lease is returned when nothing has begun from it for so long, and nothing runs. */
const idleMs = 2_000;
/** How often a lease is confirmed, so that requests may begin from it. */
const confirmIntervalMs = 500;

export interface LeaseBookOptions extends LeaseServices {
  /** Of a new lease. */
  newId(): string;
  /** A lease has something to draw, which may wait for a few milliseconds. */
  onDue(): void;
  onError(error: unknown, lease: Lease): void;
}

interface Entry {
  askedAtMs: number;
  lease?: Lease;
}

export class LeaseBook {
  readonly #options: LeaseBookOptions;
  /** By the hash of the key. */
  readonly #entries = new Map<string, Entry>();

  constructor(options: LeaseBookOptions) {
    this.#options = options;
  }

  get size(): number {
    let count = 0;
    for (const { lease } of this.#entries.values()) if (lease !== undefined) count += 1;
    return count;
  }

  /** The lease that the request may begin from now; undefined if it has to be reserved. `identity` is of the key's Redis. */
  find(
    key: LeasedKey,
    request: Pick<LeasedRequest, 'heldNano' | 'tokens'> & { readonly model: string },
    { identity, nowMs }: { readonly identity: string; readonly nowMs: number },
  ): Lease | undefined {
    const entry = this.#entries.get(key.keyHash);
    if (entry === undefined) {
      this.#entries.set(key.keyHash, { askedAtMs: nowMs });
      return undefined;
    }
    const isSuccession = nowMs - entry.askedAtMs < successionMs;
    entry.askedAtMs = nowMs;
    if (entry.lease === undefined && isSuccession) {
      entry.lease = new Lease(key, { ...this.#options, id: this.#options.newId(), identity });
    }
    const { lease } = entry;
    if (lease === undefined) return undefined;
    if (lease.admits(request, request.model, nowMs)) return lease;
    this.#options.onDue();
    return undefined;
  }

  /** Draws whatever has something to draw. */
  async flush(nowMs: number): Promise<void> {
    const due: Promise<void>[] = [];
    for (const { lease } of this.#entries.values()) if (lease?.isDue) due.push(this.#draw(lease, nowMs));
    await Promise.all(due);
  }

  /** Called several times a second: confirms the leases, returns those that are not needed, and forgets keys. */
  async tick(nowMs: number): Promise<void> {
    const due: Promise<void>[] = [];
    for (const [hash, entry] of this.#entries) {
      const { lease, askedAtMs } = entry;
      const isQuiet = nowMs - askedAtMs > idleMs;
      if (lease === undefined) {
        if (isQuiet) this.#entries.delete(hash);
        continue;
      }
      if (isQuiet && lease.isIdle) lease.close();
      if (lease.isDue || nowMs - lease.confirmedAtMs > confirmIntervalMs) due.push(this.#draw(lease, nowMs));
    }
    await Promise.all(due);
  }

  /** Returns what no request uses of the leases of an account, or of one of its keys. */
  async recall(accountId: number, keyId: number | undefined, nowMs: number): Promise<void> {
    const due: Promise<void>[] = [];
    for (const { lease } of this.#entries.values()) {
      if (lease?.key.accountId !== accountId || (keyId !== undefined && lease.key.keyId !== keyId)) continue;
      lease.close();
      due.push(this.#draw(lease, nowMs));
    }
    await Promise.all(due);
  }

  /** Redis was replaced. */
  giveUp(): void {
    for (const entry of this.#entries.values()) {
      entry.lease?.giveUp();
      delete entry.lease;
    }
  }

  async #draw(lease: Lease, nowMs: number): Promise<void> {
    try {
      await lease.draw(nowMs);
    } catch (error) {
      this.#options.onError(error, lease);
    }
    const entry = this.#entries.get(lease.key.keyHash);
    if (lease.isOver && entry?.lease === lease) delete entry.lease;
  }
}
