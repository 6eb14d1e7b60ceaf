/** Decisions of one shard in the order in which Redis has confirmed them, packed by the dozen. */
import type { Shard } from '../../shared/shard.ts';
import { type Decision, joinPacked, packDecision } from './decision.ts';

/** As many as are sent again at once. */
export const batchMax = 64;

export interface DecisionBatch {
  readonly shard: Shard;
  readonly count: number;
  readonly packed: string;
  /** Where the last of its events stands in the shard's stream; empty where all are releases, which have none. */
  readonly lastId: string;
  /** When Postgres was found to have all of it. */
  bookedAtMs: number;
}

/** A queue that knows how many decisions are in it. */
export class BatchQueue {
  readonly #batches: DecisionBatch[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get first(): DecisionBatch | undefined {
    return this.#batches[0];
  }

  push(batch: DecisionBatch): void {
    this.#batches.push(batch);
    this.#count += batch.count;
  }

  shift(): DecisionBatch | undefined {
    const batch = this.#batches.shift();
    this.#count -= batch?.count ?? 0;
    return batch;
  }

  list(): readonly DecisionBatch[] {
    return [...this.#batches];
  }
}

/** What Redis has of a shard, and Postgres may not have yet. */
export class StreamedDecisions {
  readonly #shard: Shard;
  readonly #closed = new BatchQueue();
  #open: string[] = [];
  #lastId = '';

  constructor(shard: Shard) {
    this.#shard = shard;
  }

  get count(): number {
    return this.#closed.count + this.#open.length;
  }

  add(decision: Decision, streamId: string): void {
    this.#open.push(packDecision(decision));
    // A repetition stands no further back than it says; so ids do not always grow.
    if (isBefore(this.#lastId, streamId)) this.#lastId = streamId;
    if (this.#open.length >= batchMax) this.#close();
  }

  /** All that is here now: what is asked about must not grow until the answer comes. */
  batches(): readonly DecisionBatch[] {
    this.#close();
    return this.#closed.list();
  }

  /** Takes those of `asked` out that Postgres has, now that the shard's stream begins with `first`. */
  takeBooked(asked: readonly DecisionBatch[], first: string | undefined): DecisionBatch[] {
    const booked: DecisionBatch[] = [];
    for (const batch of asked) {
      // It is no longer here where a replay has begun while the question was under way.
      const isHere = batch === this.#closed.first;
      if (!isHere || (first !== undefined && !isBefore(batch.lastId, first))) break;
      this.#closed.shift();
      booked.push(batch);
    }
    return booked;
  }

  takeAll(): DecisionBatch[] {
    return this.takeBooked(this.batches(), undefined);
  }

  #close(): void {
    if (this.#open.length === 0) return;
    const { length: count } = this.#open;
    const packed = joinPacked(this.#open);
    this.#closed.push({ shard: this.#shard, count, packed, lastId: this.#lastId, bookedAtMs: 0 });
    this.#open = [];
    this.#lastId = '';
  }
}

/** Of two ids `<milliseconds>-<number>`; the empty one is before all others. */
function isBefore(one: string, other: string): boolean {
  if (one === '') return other !== '';
  const oneMs = Number.parseInt(one, 10);
  const otherMs = Number.parseInt(other, 10);
  return oneMs < otherMs || (oneMs === otherMs && numberOf(one) < numberOf(other));
}

function numberOf(streamId: string): number {
  return Number(streamId.slice(streamId.indexOf('-') + 1));
}
