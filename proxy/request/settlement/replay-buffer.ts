/**
 * A second copy of every charge. Each decision is kept here from before it is sent to Redis until two minutes after it
 * is in Postgres. When Redis is replaced, all of them are resent; the scripts make that harmless.
 *
 *   submit ──▶ in flight ──(Redis has it)──▶ streamed ──(Postgres has it)──▶ booked ──(two minutes)──▶ dropped
 *                 │  ▲                          │                              │
 *                 ▼  │                          └───────(Redis is replaced)────┤
 *             unconfirmed ◀──────────────────────────── replayed ◀─────────────┘
 *
 * Decisions that are not in Postgres yet are never evicted. If there are too many, new requests are refused. What is booked
 * can be read only from the stream of the Redis that has confirmed them: in one that has lost everything, and was not noticed
 * yet, the stream is as empty as if all of it were booked.
 */
import { monotonicMs } from '../../../shared/durations.ts';
import type { Log } from '../../../shared/log.ts';
import { allShards, type Shard } from '../../../shared/wallet/shard.ts';
import type { Wallet } from '../../../shared/wallet/wallet.ts';
import type { RequestMetrics } from '../metrics/request-metrics.ts';
import { type Decision, type Settle, unpackDecisions } from './decision.ts';
import { BatchQueue, batchMax, StreamedDecisions } from './decision-batch.ts';

const unbookedMax = 100_000;
const bookedMax = 50_000;
const bookedKeptMs = 120_000;
/** No client waits for a decision, so it may wait to be batched with others. */
const batchMs = 10;

interface ReplayBufferOptions {
  readonly wallet: Wallet;
  readonly log: Log;
  readonly metrics: RequestMetrics;
  /** Whether the shard's Redis is the one that it was, with its data, now that something was read from it. */
  isUnchanged(shard: Shard): Promise<boolean>;
}

export class ReplayBuffer {
  readonly #wallet: Wallet;
  readonly #log: Log;
  readonly #metrics: RequestMetrics;
  readonly #isUnchanged: ReplayBufferOptions['isUnchanged'];
  /** Sent and not answered yet. */
  #inFlight = 0;
  readonly #inFlightOf = new Map<Shard, number>();
  /** Resolved when nothing of a shard is in flight. */
  readonly #settledWaiters = new Map<Shard, PromiseWithResolvers<void>>();
  /** Decisions whose outcome is unknown, the oldest first. */
  readonly #unconfirmed: Decision[] = [];
  /** Decisions confirmed by a Redis that may have lost them. */
  readonly #replayed = new BatchQueue();
  readonly #streamed = new Map<Shard, StreamedDecisions>();
  #streamedCount = 0;
  readonly #booked = new BatchQueue();
  /** Incremented when the Redis of a shard is replaced; a confirmation from an earlier generation is ignored. */
  readonly #generations = new Map<Shard, number>();

  constructor(options: ReplayBufferOptions) {
    this.#wallet = options.wallet;
    this.#log = options.log;
    this.#metrics = options.metrics;
    this.#isUnchanged = options.isUnchanged;
  }

  get full(): boolean {
    return this.size >= unbookedMax;
  }

  /** What is kept elsewhere too leaves the rest to decisions that are not. */
  get halfFull(): boolean {
    return this.size >= unbookedMax / 2;
  }

  /** Decisions that are not known to be in Postgres. */
  get size(): number {
    return this.#inFlight + this.waiting + this.#streamedCount;
  }

  /** Decisions to be resent. */
  get waiting(): number {
    return this.#replayed.count + this.#unconfirmed.length;
  }

  /** Resolves when Redis has confirmed it or the call has failed; then it is resent. Never rejects. */
  submit(decision: Decision, { isAwaited = false }: { isAwaited?: boolean } = {}): Promise<unknown> {
    return this.#send(decision, isAwaited ? 0 : batchMs);
  }

  /** Redis has these charges of a lease, in this entry of the usage stream or an earlier one. */
  drawn(charges: readonly Settle[], streamId: string): void {
    for (const charge of charges) this.#keepStreamed(ofLease(charge), streamId);
  }

  /** Charges of a lease that was given up: it is unknown whether Redis has them. */
  resendLater(charges: readonly Settle[]): void {
    this.#unconfirmed.push(...charges.map(ofLease));
  }

  /** Resolves when nothing of this shard is in flight; undefined if nothing is now. */
  settled(shard: Shard): Promise<void> | undefined {
    if (!this.#inFlightOf.has(shard)) return undefined;
    const waiter = this.#settledWaiters.get(shard) ?? Promise.withResolvers<void>();
    this.#settledWaiters.set(shard, waiter);
    return waiter.promise;
  }

  /**
   * Resends what Redis has not confirmed, and then what it may have lost. Called about every half second. What it has after all is taken
   * from the wallet until the ledger says so, and must not use up the balance before what is really missing.
   */
  async resend(): Promise<void> {
    // Each once: one that fails is queued for the next time.
    for (let left = this.#unconfirmed.length; left > 0; ) {
      const decisions = this.#unconfirmed.splice(0, Math.min(left, batchMax));
      left -= decisions.length;
      if (!(await this.#sendAll(decisions))) break;
    }
    for (let batch = this.#replayed.shift(); batch !== undefined; batch = this.#replayed.shift()) {
      if (!(await this.#sendAll(unpackDecisions(batch.shard, batch.packed)))) return;
    }
  }

  /** False if nothing gets through: then the rest can wait for the next time. */
  async #sendAll(decisions: readonly Decision[]): Promise<boolean> {
    return (await Promise.all(decisions.map((decision) => this.#send(decision)))).includes(true);
  }

  /**
   * Finds out which decisions of these shards are in Postgres, and drops those that have been there for two minutes.
   */
  async confirm(nowMs: number, shards: readonly Shard[] = allShards): Promise<void> {
    const confirmOne = async (shard: Shard) => {
      const streamed = this.#streamed.get(shard);
      if (streamed !== undefined && streamed.count > 0) await this.#confirmShard(shard, streamed, nowMs);
    };
    await Promise.all(shards.map(confirmOne));
    for (let { first } = this.#booked; first !== undefined; { first } = this.#booked) {
      if (nowMs - first.bookedAtMs < bookedKeptMs && this.#booked.count <= bookedMax) break;
      this.#booked.shift();
    }
  }

  /**
   * The Redis of these shards was replaced: what it had confirmed may be lost, so all of it is resent, the newest first, which it is most
   * likely to have lost. Not to others: a charge of a lease that was not lost is taken from the wallet twice until the ledger says that it
   * was booked.
   */
  async replay(shards: ReadonlySet<Shard>): Promise<void> {
    for (const shard of shards) {
      this.#generations.set(shard, this.#generationOf(shard) + 1);
      for (const batch of this.#streamed.get(shard)?.takeAll() ?? []) {
        this.#replayed.push(batch);
        this.#streamedCount -= batch.count;
      }
    }
    for (const batch of this.#booked.take(({ shard }) => shards.has(shard))) this.#replayed.push(batch);
    await this.resend();
  }

  #generationOf(shard: Shard): number {
    return this.#generations.get(shard) ?? 0;
  }

  /** Resends until Redis has confirmed everything; false if that did not happen in time. */
  async flush(timeoutMs: number): Promise<boolean> {
    const until = Date.now() + timeoutMs;
    const hasUnconfirmed = () => this.#inFlight + this.waiting > 0;
    while (hasUnconfirmed() && Date.now() < until) {
      await this.resend();
      if (hasUnconfirmed()) await Bun.sleep(50);
    }
    return !hasUnconfirmed();
  }

  /** Returns whether Redis replied. This call owns the decision until it is in one of the queues. */
  async #send(decision: Decision, waitMs = 0): Promise<boolean> {
    const { shard } = decision.held;
    const generation = this.#generationOf(shard);
    const sentAtMs = monotonicMs();
    this.#beginCall(shard);
    try {
      const { streamId, confirmed } = await this.#callWallet(decision, waitMs);
      this.#metrics.walletReplied(decision.kind, sentAtMs);
      if (generation === this.#generationOf(shard)) this.#keepStreamed(confirmed, streamId);
      else this.#unconfirmed.push(confirmed);
      return true;
    } catch (error) {
      this.#unconfirmed.push(decision);
      this.#metrics.walletFailures[decision.kind] += 1;
      const { requestId } = decision.held;
      this.#log.warn({ requestId, kind: decision.kind, err: error }, 'not confirmed by Redis; will be resent');
      return false;
    } finally {
      this.#endCall(shard);
    }
  }

  #beginCall(shard: Shard): void {
    this.#inFlight += 1;
    this.#inFlightOf.set(shard, (this.#inFlightOf.get(shard) ?? 0) + 1);
  }

  #endCall(shard: Shard): void {
    this.#inFlight -= 1;
    const left = (this.#inFlightOf.get(shard) ?? 1) - 1;
    if (left > 0) {
      this.#inFlightOf.set(shard, left);
      return;
    }
    this.#inFlightOf.delete(shard);
    this.#settledWaiters.get(shard)?.resolve();
    this.#settledWaiters.delete(shard);
  }

  /** The amount that Redis charged in a settle is kept with it: if Redis loses it, its replacement charges no more. */
  async #callWallet(decision: Decision, waitMs: number): Promise<{ streamId: string; confirmed: Decision }> {
    if (decision.kind === 'release') {
      await this.#wallet.release(decision.held, waitMs);
      return { streamId: '', confirmed: decision };
    }
    const { streamId, chargedNano } = await this.#wallet.settle(decision.held, decision, waitMs);
    const isPartial = chargedNano !== undefined && chargedNano < decision.costNano;
    return { streamId, confirmed: isPartial ? { ...decision, chargedNano } : decision };
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
    const batches = streamed.batches();
    // Entries are removed from the stream only after they are booked.
    const first = await this.#wallet.readFirstUnbooked(shard);
    if (!(await this.#isUnchanged(shard))) return;
    for (const batch of streamed.takeBooked(batches, first)) {
      batch.bookedAtMs = nowMs;
      this.#booked.push(batch);
      this.#streamedCount -= batch.count;
    }
  }
}

/**
 * A draw leaves no outcome of its requests. So if one of its charges is sent again, on its own, only the ledger can tell
 * whether it was applied: without an epoch, it is an orphan.
 */
function ofLease(charge: Settle): Settle {
  return { ...charge, held: { ...charge.held, epoch: '' } };
}
