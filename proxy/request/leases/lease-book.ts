/**
 * The leases of this process, one for each key that makes requests in quick succession: it gets one with its second request
 * within a second, and keeps it as long as requests begin.
 */
import { monotonicMs } from '../../../shared/durations.ts';
import { type NanoUsd, nanoUsd } from '../../../shared/money.ts';
import type { DrawRequest, LeaseCharges } from '../../../shared/wallet/lease.ts';
import type { Shard } from '../../../shared/wallet/shard.ts';
import { type Admissible, Lease, type LeasedKey, type LeaseServices } from './lease.ts';

/** Requests of a key within this time are worth a lease. */
const successionMs = 1_000;
/** A lease is returned when nothing has begun from it for so long, and nothing runs. */
const idleMs = 2_000;
/** A key whose lease was taken back, or was of no use, gets another one only after so long. */
const restMs = 2_000;
/** How often a lease is confirmed, so that requests may begin from it. */
const confirmIntervalMs = 500;
const keysMax = 100_000;
const endPauseMs = 20;

export interface LeaseBookOptions extends Omit<LeaseServices, 'onDue' | 'draw' | 'charge'> {
  draw(request: DrawRequest): ReturnType<LeaseServices['draw']>;
  charge(charges: LeaseCharges): ReturnType<LeaseServices['charge']>;
  /** Of a new lease. */
  newId(): string;
  /** `flush` should be called within a few milliseconds. */
  onDue(): void;
  onError(error: unknown, lease: Lease): void;
}

interface Entry {
  /** As of the last request that was reserved. */
  key: LeasedKey;
  askedAtMs: number;
  restsUntilMs: number;
  lease: Lease | undefined;
}

export class LeaseBook {
  readonly #options: LeaseBookOptions;
  readonly #nowMs: () => number;
  /** By the hash of the key. */
  readonly #entries = new Map<string, Entry>();
  readonly #services: LeaseServices;
  readonly #due = new Set<Lease>();
  #isAllowed = false;

  /** By a clock that is never set back. */
  constructor(options: LeaseBookOptions, nowMs: () => number = monotonicMs) {
    this.#options = options;
    this.#nowMs = nowMs;
    const onDue = (lease: Lease) => {
      this.#due.add(lease);
      options.onDue();
    };
    this.#services = {
      ...options,
      onDue,
      draw: (draw) => options.draw({ ...draw, isPacked: this.#isAllowed }),
      charge: (charges) => options.charge({ ...charges, isPacked: this.#isAllowed }),
    };
  }

  get size(): number {
    return this.#leases().length;
  }

  /** What all leases have of their wallets. */
  get amountNano(): NanoUsd {
    return nanoUsd(this.#leases().reduce((sum, { amountNano }) => sum + amountNano, 0n));
  }

  /** Charges whose draw had no reply; it is repeated. */
  get unconfirmed(): number {
    return this.#leases().reduce((sum, { unconfirmed }) => sum + unconfirmed, 0);
  }

  /** What is lost if this process is killed now. */
  get undrawnNano(): NanoUsd {
    return nanoUsd(this.#leases().reduce((sum, { undrawnNano }) => sum + undrawnNano, 0n));
  }

  /** Whether there may be leases: only if every admin reads what they write. Else those that there are are returned. */
  allow(isAllowed: boolean): void {
    this.#isAllowed = isAllowed;
    if (isAllowed) return;
    for (const lease of this.#leases()) lease.close();
  }

  /** A request of the key has been reserved. */
  learn(key: LeasedKey): void {
    const entry = this.#entries.get(key.keyHash);
    if (entry !== undefined) {
      entry.askedAtMs = this.#nowMs();
      entry.key = key;
    } else if (this.#entries.size < keysMax) {
      this.#entries.set(key.keyHash, {
        key,
        askedAtMs: this.#nowMs(),
        restsUntilMs: Number.NEGATIVE_INFINITY,
        lease: undefined,
      });
    }
  }

  /**
   * The lease that the request may begin from now; `enter` must follow immediately. Undefined if it has to be reserved.
   * `identity` is of the key's Redis, if it is known.
   */
  find(keyHash: string, request: Admissible, identity: string | undefined): Lease | undefined {
    const entry = this.#entries.get(keyHash);
    if (entry === undefined) return undefined;
    const nowMs = this.#nowMs();
    const isSuccession = nowMs - entry.askedAtMs < successionMs;
    entry.askedAtMs = nowMs;
    if (entry.lease === undefined) {
      if (!isSuccession || !this.#isAllowed || identity === undefined || nowMs < entry.restsUntilMs) return undefined;
      entry.lease = new Lease(entry.key, this.#services, { id: this.#options.newId(), identity, nowMs: this.#nowMs });
    }
    return entry.lease.admits(request) ? entry.lease : undefined;
  }

  /** Draws whatever has something to draw: of all shards, or of one. Undefined if nothing has. */
  flush(shard?: Shard): Promise<unknown> | undefined {
    const draws: Promise<void>[] = [];
    for (const lease of this.#due) {
      if (shard !== undefined && lease.key.shard !== shard) continue;
      this.#due.delete(lease);
      if (lease.isDue()) draws.push(this.#try(lease, () => lease.flush()));
    }
    return draws.length === 0 ? undefined : Promise.all(draws);
  }

  /** Called several times a second: confirms the leases, returns those that are not needed, and forgets keys. */
  async tick(): Promise<void> {
    const nowMs = this.#nowMs();
    const due: Promise<void>[] = [];
    for (const [hash, { lease, askedAtMs, restsUntilMs }] of this.#entries) {
      if (lease === undefined) {
        if (nowMs - askedAtMs > idleMs && nowMs > restsUntilMs) this.#entries.delete(hash);
        continue;
      }
      if (nowMs - (lease.idleSinceMs ?? nowMs) > idleMs) lease.close();
      if (lease.isDue() || nowMs - lease.confirmedAtMs > confirmIntervalMs) due.push(this.#draw(lease));
    }
    await Promise.all(due);
  }

  /** Returns what no request uses of the leases of an account, or of one of its keys. */
  async recall(accountId: number, keyId?: number): Promise<void> {
    const due: Promise<void>[] = [];
    for (const lease of this.#leases()) {
      const { key, isClosedThere } = lease;
      if (isClosedThere || key.accountId !== accountId || (keyId !== undefined && key.keyId !== keyId)) continue;
      lease.close();
      due.push(this.#return(lease));
    }
    await Promise.all(due);
  }

  /** Redis was replaced. Resolves when what the new one has of them was tried to be returned; otherwise `tick` repeats it. */
  async giveUp(shards: ReadonlySet<Shard>): Promise<void> {
    const leases = this.#leases().filter(({ key }) => shards.has(key.shard));
    for (const lease of leases) lease.giveUp();
    await Promise.all(leases.map((lease) => this.#return(lease)));
  }

  /** Returns all of them, once no request runs. Those that Redis has not confirmed by then are given up. */
  async end(timeoutMs: number): Promise<void> {
    this.allow(false);
    const until = this.#nowMs() + timeoutMs;
    for (let leases = this.#leases(); leases.length > 0 && this.#nowMs() < until; leases = this.#leases()) {
      await Promise.all(leases.map((lease) => this.#draw(lease)));
      if (this.size > 0) await Bun.sleep(endPauseMs);
    }
    for (const lease of this.#leases()) lease.abandon();
  }

  #leases(): Lease[] {
    const leases: Lease[] = [];
    for (const { lease } of this.#entries.values()) if (lease !== undefined) leases.push(lease);
    return leases;
  }

  async #return(lease: Lease): Promise<void> {
    await this.#draw(lease);
    // Another one may have been on its way.
    if (lease.isDue()) await this.#draw(lease);
  }

  #draw(lease: Lease): Promise<void> {
    return this.#try(lease, () => lease.draw());
  }

  async #try(lease: Lease, draw: () => Promise<void>): Promise<void> {
    try {
      await draw();
      // It may have been on its way before the latest was there.
      if (lease.isDue()) this.#services.onDue(lease);
    } catch (error) {
      this.#options.onError(error, lease);
    }
    const entry = this.#entries.get(lease.key.keyHash);
    if (entry?.lease === lease) this.#forgetOver(entry);
  }

  #forgetOver(entry: Entry): void {
    if (entry.lease?.phase !== 'over') return;
    this.#due.delete(entry.lease);
    entry.lease = undefined;
    entry.restsUntilMs = this.#nowMs() + restMs;
  }
}
