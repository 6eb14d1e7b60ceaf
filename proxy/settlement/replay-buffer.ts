/**
 * The second holder of every charge. What has been decided about a request is kept here from before it is sent to
 * Redis until it is in Postgres, and two minutes longer. When another Redis answers, all of it is sent again; the
 * scripts make a repetition harmless.
 *
 *   submit ──▶ under way ──(Redis has it)──▶ streamed ──(Postgres has it)──▶ booked ──(two minutes)──▶ forgotten
 *                 │  ▲                          │                              │
 *                 ▼  │                          └────(another Redis answers)───┤
 *             unconfirmed ◀──────────────────────────── replayed ◀─────────────┘
 *
 * What is not in Postgres yet is never evicted. Where there is too much of it, no new request is taken.
 */
import type { Log } from '../../shared/log.ts';
import { allShards, type Shard } from '../../shared/shard.ts';
import type { Wallet } from '../../shared/wallet/wallet.ts';
import { type Decision, unpackDecisions } from './decision.ts';
import { BatchQueue, batchMax, StreamedDecisions } from './decision-batch.ts';

const unbookedMax = 100_000;
const bookedMax = 50_000;
const bookedKeptMs = 120_000;
/** Nobody waits for a decision, so it may wait for others that it can share a call with. */
const gatherMs = 10;

export class ReplayBuffer {
  readonly #wallet: Wallet;
  readonly #log: Log;
  /** Sent, and not answered yet. */
  #underWay = 0;
  readonly #underWayOf = new Map<Shard, number>();
  /** Resolved when nothing of a shard is under way any more. */
  readonly #settledWaiters = new Map<Shard, PromiseWithResolvers<void>>();
  /** Their outcome is unknown: the longest waiting first. */
  readonly #unconfirmed: Decision[] = [];
  /** Were confirmed by a Redis that may have lost them. */
  readonly #replayed = new BatchQueue();
  readonly #streamed = new Map<Shard, StreamedDecisions>();
  #streamedCount = 0;
  readonly #booked = new BatchQueue();
  /** Counts the Redises that have answered; what an earlier one confirms is worth nothing. */
  #generation = 0;

  constructor(options: { wallet: Wallet; log: Log }) {
    this.#wallet = options.wallet;
    this.#log = options.log;
  }

  get full(): boolean {
    return this.size >= unbookedMax;
  }

  /** Decisions that are not in Postgres yet, as far as is known here. */
  get size(): number {
    return this.#underWay + this.#waiting + this.#streamedCount;
  }

  /** To be sent again. */
  get #waiting(): number {
    return this.#replayed.count + this.#unconfirmed.length;
  }

  /** Resolves when Redis has confirmed it, or has failed to: then it is sent again. Never rejects. */
  submit(decision: Decision, { isAwaited = false }: { isAwaited?: boolean } = {}): Promise<unknown> {
    return this.#send(decision, isAwaited ? 0 : gatherMs);
  }

  /** Resolves when Redis has answered everything of this shard that has been sent; undefined where nothing has. */
  settled(shard: Shard): Promise<void> | undefined {
    if (!this.#underWayOf.has(shard)) return undefined;
    const waiter = this.#settledWaiters.get(shard) ?? Promise.withResolvers<void>();
    this.#settledWaiters.set(shard, waiter);
    return waiter.promise;
  }

  /** Sends again what Redis has not confirmed. Called about every half second. */
  async resend(): Promise<void> {
    // Each once: what fails now waits behind the others for the next time.
    for (let left = this.#waiting; left > 0; ) {
      const decisions = this.#takeWaiting();
      left -= decisions.length;
      const results = await Promise.all(decisions.map((decision) => this.#send(decision)));
      // Where nothing gets through, the rest can wait for the next time.
      if (!results.includes(true)) return;
    }
  }

  /** Finds out what Postgres has of these shards, and forgets what it has had for two minutes. */
  async confirm(nowMs: number, shards: readonly Shard[] = allShards): Promise<void> {
    const ask = async (shard: Shard) => {
      const streamed = this.#streamed.get(shard);
      if (streamed !== undefined && streamed.count > 0) await this.#confirmShard(shard, streamed, nowMs);
    };
    await Promise.all(shards.map(ask));
    for (let { first } = this.#booked; first !== undefined; { first } = this.#booked) {
      if (nowMs - first.bookedAtMs < bookedKeptMs && this.#booked.count <= bookedMax) break;
      this.#booked.shift();
    }
  }

  /** Another Redis answers: what was confirmed may be lost, so everything is sent again. */
  async replay(): Promise<void> {
    this.#generation += 1;
    for (let batch = this.#booked.shift(); batch !== undefined; batch = this.#booked.shift()) {
      this.#replayed.push(batch);
    }
    for (const streamed of this.#streamed.values()) {
      for (const batch of streamed.takeAll()) this.#replayed.push(batch);
    }
    this.#streamedCount = 0;
    await this.resend();
  }

  /** Sends until everything is confirmed by Redis; false when that did not happen in time. */
  async flush(timeoutMs: number): Promise<boolean> {
    const until = Date.now() + timeoutMs;
    const hasUnsent = () => this.#underWay + this.#waiting > 0;
    while (hasUnsent() && Date.now() < until) {
      await this.resend();
      if (hasUnsent()) await Bun.sleep(50);
    }
    return !hasUnsent();
  }

  #takeWaiting(): Decision[] {
    const batch = this.#replayed.shift();
    if (batch !== undefined) return unpackDecisions(batch.shard, batch.packed);
    return this.#unconfirmed.splice(0, batchMax);
  }

  /** Returns whether Redis has answered. The decision is held by this call until it is put into one of the queues. */
  async #send(decision: Decision, waitMs = 0): Promise<boolean> {
    const generation = this.#generation;
    this.#depart(decision.held.shard);
    try {
      const { streamId, confirmed } = await this.#tell(decision, waitMs);
      if (generation === this.#generation) this.#keepStreamed(confirmed, streamId);
      else this.#unconfirmed.push(confirmed);
      return true;
    } catch (error) {
      this.#unconfirmed.push(decision);
      const { requestId } = decision.held;
      this.#log.warn({ requestId, kind: decision.kind, err: error }, 'not confirmed by Redis; will be sent again');
      return false;
    } finally {
      this.#arrive(decision.held.shard);
    }
  }

  #depart(shard: Shard): void {
    this.#underWay += 1;
    this.#underWayOf.set(shard, (this.#underWayOf.get(shard) ?? 0) + 1);
  }

  #arrive(shard: Shard): void {
    this.#underWay -= 1;
    const left = (this.#underWayOf.get(shard) ?? 1) - 1;
    if (left > 0) {
      this.#underWayOf.set(shard, left);
      return;
    }
    this.#underWayOf.delete(shard);
    this.#settledWaiters.get(shard)?.resolve();
    this.#settledWaiters.delete(shard);
  }

  /** Of a settle, what Redis has charged is kept from here on: should it be lost, another Redis charges no more. */
  async #tell(decision: Decision, waitMs: number): Promise<{ streamId: string; confirmed: Decision }> {
    if (decision.kind === 'release') {
      await this.#wallet.release(decision.held, waitMs);
      return { streamId: '', confirmed: decision };
    }
    const { streamId, chargedNano } = await this.#wallet.settle(decision.held, decision, waitMs);
    const isCut = chargedNano !== undefined && chargedNano < decision.costNano;
    return { streamId, confirmed: isCut ? { ...decision, chargedNano } : decision };
  }

  #keepStreamed(decision: Decision, streamId: string): void {
    const { shard } = decision.held;
    let streamed = this.#streamed.get(shard);
    if (streamed === undefined) {
      streamed = new StreamedDecisions(shard);
      this.#streamed.set(shard, streamed);
    }
    streamed.add(decision, streamId);
    this.#streamedCount += 1;
  }

  async #confirmShard(shard: Shard, streamed: StreamedDecisions, nowMs: number): Promise<void> {
    const asked = streamed.batches();
    // Entries leave the stream only after they were booked.
    const first = await this.#wallet.readFirstUnbooked(shard);
    for (const batch of streamed.takeBooked(asked, first)) {
      batch.bookedAtMs = nowMs;
      this.#booked.push(batch);
      this.#streamedCount -= batch.count;
    }
  }
}
