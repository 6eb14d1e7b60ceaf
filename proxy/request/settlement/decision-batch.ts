/** Decisions of one shard in the order in which Redis confirmed them, packed in batches. */
import type { Shard } from '../../../shared/wallet/shard.ts';
import { type Decision, joinPacked, packDecision } from './decision.ts';

/** How many decisions are resent at a time. */
export const batchMax = 64;

export interface DecisionBatch {
  readonly shard: Shard;
  readonly count: number;
  readonly packed: string;
  /** The stream id of the last of its events; empty if all are releases, which have none. */
  readonly lastId: string;
  /** When all of it was found to be in Postgres. */
  bookedAtMs: number;
}

/** A queue that counts its decisions. */
export class BatchQueue {
  #batches: DecisionBatch[] = [];
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

  /** Removes and returns those. */
  take(isTaken: (batch: DecisionBatch) => boolean): readonly DecisionBatch[] {
    const taken = this.#batches.filter(isTaken);
    this.#batches = this.#batches.filter((batch) => !isTaken(batch));
    for (const { count } of taken) this.#count -= count;
    return taken;
  }

  list(): readonly DecisionBatch[] {
    return [...this.#batches];
  }
}

/** The decisions of a shard that Redis has and Postgres may not have yet. */
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
    // For a repetition the id is an upper bound, so ids do not always increase.
    if (isBefore(this.#lastId, streamId)) this.#lastId = streamId;
    if (this.#open.length >= batchMax) this.#close();
  }

  /** All current batches. They are closed, so none grows while the stream is being read. */
  batches(): readonly DecisionBatch[] {
    this.#close();
    return this.#closed.list();
  }

  /** Removes and returns those of `batches` that Postgres has, given that the shard's stream begins with `first`. */
  takeBooked(batches: readonly DecisionBatch[], first: string | undefined): DecisionBatch[] {
    const booked: DecisionBatch[] = [];
    for (const batch of batches) {
      // It is gone if a replay began while the stream was being read.
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

/** Compares two ids `<milliseconds>-<number>`; the empty one is before all others. */
function isBefore(one: string, other: string): boolean {
  if (one === '') return other !== '';
  const oneMs = Number.parseInt(one, 10);
  const otherMs = Number.parseInt(other, 10);
  return oneMs < otherMs || (oneMs === otherMs && numberOf(one) < numberOf(other));
}

function numberOf(streamId: string): number {
  return Number(streamId.slice(streamId.indexOf('-') + 1));
}
