/**
 * The second holder of every charge. What has been decided about a request is kept here from before it is sent to
 * Redis until it is in Postgres, and two minutes longer. When another Redis answers, all of it is sent again; the
 * scripts make a repetition harmless.
 *
 * What is not in Postgres yet is never evicted. Where there is too much of it, no new request is taken.
 */
import type { Log } from '../../shared/log.ts';
import type { Shard } from '../../shared/shard.ts';
import type { FinalCharge, HeldRequest, Wallet } from '../../shared/wallet/wallet.ts';

export type Decision =
  | ({ readonly kind: 'settle'; readonly held: HeldRequest } & FinalCharge)
  | { readonly kind: 'release'; readonly held: Pick<HeldRequest, 'requestId' | 'shard'> };

interface Entry {
  decision: Decision;
  /** `sending`: its outcome is unknown. `streamed`: Redis has it. `booked`: Postgres has it, since `bookedAtMs`. */
  state: 'sending' | 'streamed' | 'booked';
  /** Where its event stands in the shard's stream; empty for a release, which has none. */
  streamId: string;
  bookedAtMs: number;
  underWay: boolean;
}

const unbookedMax = 100_000;
const bookedMax = 50_000;
const bookedKeptMs = 120_000;
const sentAtOnceMax = 64;

export class ReplayBuffer {
  readonly #wallet: Wallet;
  readonly #log: Log;
  /** In the order in which the requests ended, booked ones moved to their own map. */
  readonly #unbooked = new Map<string, Entry>();
  readonly #booked = new Map<string, Entry>();
  /** Counts the Redises that have answered; what an earlier one confirms is worth nothing. */
  #generation = 0;

  constructor(options: { wallet: Wallet; log: Log }) {
    this.#wallet = options.wallet;
    this.#log = options.log;
  }

  get full(): boolean {
    return this.#unbooked.size >= unbookedMax;
  }

  /** Decisions that are not in Postgres yet, as far as is known here. */
  get size(): number {
    return this.#unbooked.size;
  }

  /** Resolves when Redis has confirmed it, or has failed to: then it is sent again. Never rejects. */
  async submit(decision: Decision): Promise<void> {
    const entry: Entry = { decision, state: 'sending', streamId: '', bookedAtMs: 0, underWay: false };
    this.#unbooked.set(decision.held.requestId, entry);
    await this.#send(entry);
  }

  /** Sends again what Redis has not confirmed. Called about every half second. */
  async resend(): Promise<void> {
    const waiting = [...this.#unbooked.values()].filter(({ state, underWay }) => state === 'sending' && !underWay);
    for (let start = 0; start < waiting.length; start += sentAtOnceMax) {
      const results = await Promise.all(waiting.slice(start, start + sentAtOnceMax).map((entry) => this.#send(entry)));
      // Where nothing gets through, the rest can wait for the next time.
      if (!results.includes(true)) return;
    }
  }

  /** Finds out what Postgres has, and forgets what it has had for two minutes. Called every few seconds. */
  async confirm(nowMs: number): Promise<void> {
    const byShard = new Map<Shard, Entry[]>();
    for (const entry of this.#unbooked.values()) {
      if (entry.state !== 'streamed') continue;
      const { shard } = entry.decision.held;
      const entries = byShard.get(shard);
      if (entries === undefined) byShard.set(shard, [entry]);
      else entries.push(entry);
    }
    await Promise.all([...byShard].map(([shard, entries]) => this.#confirmShard(shard, entries, nowMs)));
    for (const [requestId, entry] of this.#booked) {
      if (nowMs - entry.bookedAtMs < bookedKeptMs && this.#booked.size <= bookedMax) break;
      this.#booked.delete(requestId);
    }
  }

  /** Another Redis answers: what was confirmed may be lost, so everything is sent again. */
  async replay(): Promise<void> {
    this.#generation += 1;
    for (const [requestId, entry] of this.#booked) {
      this.#booked.delete(requestId);
      this.#unbooked.set(requestId, entry);
    }
    for (const entry of this.#unbooked.values()) entry.state = 'sending';
    await this.resend();
  }

  /** Sends until everything is confirmed by Redis; false when that did not happen in time. */
  async flush(timeoutMs: number): Promise<boolean> {
    const until = Date.now() + timeoutMs;
    const unsent = () => [...this.#unbooked.values()].some(({ state }) => state === 'sending');
    while (unsent() && Date.now() < until) {
      await this.resend();
      if (unsent()) await Bun.sleep(50);
    }
    return !unsent();
  }

  async #send(entry: Entry): Promise<boolean> {
    const { decision } = entry;
    const { requestId } = decision.held;
    const generation = this.#generation;
    entry.underWay = true;
    try {
      if (decision.kind === 'release') {
        await this.#wallet.release(decision.held);
      } else {
        entry.streamId = await this.#wallet.settle(decision.held, decision);
        // Redis has the answer now. Should it lose it, a repetition learns that it is gone.
        if (decision.answer !== undefined) entry.decision = { ...decision, answer: undefined };
      }
      if (generation === this.#generation) entry.state = 'streamed';
      return true;
    } catch (error) {
      this.#log.warn({ requestId, kind: decision.kind, err: error }, 'not confirmed by Redis; will be sent again');
      return false;
    } finally {
      entry.underWay = false;
    }
  }

  async #confirmShard(shard: Shard, entries: readonly Entry[], nowMs: number): Promise<void> {
    const firstWaiting = await this.#wallet.readFirstUnbooked(shard);
    for (const entry of entries) {
      // A replay may have begun while the question was under way.
      if (entry.state !== 'streamed' || !isBefore(entry.streamId, firstWaiting)) continue;
      const { requestId } = entry.decision.held;
      entry.state = 'booked';
      entry.bookedAtMs = nowMs;
      this.#unbooked.delete(requestId);
      this.#booked.set(requestId, entry);
    }
  }
}

/** Whether an entry was removed from the stream, which happens only after it was booked. */
function isBefore(streamId: string, first: string | undefined): boolean {
  if (first === undefined) return true;
  const [oneMs = '0', one = '0'] = streamId.split('-');
  const [otherMs = '0', other = '0'] = first.split('-');
  return Number(oneMs) < Number(otherMs) || (oneMs === otherMs && Number(one) < Number(other));
}
