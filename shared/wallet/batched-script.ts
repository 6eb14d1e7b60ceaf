/**
 * Batches items of one script into few calls, because a call costs both ends more than an item in it. An urgent item
 * is sent in the same turn of the event loop if no call is in flight; otherwise it waits for the reply to the previous
 * call, or for a few milliseconds. An item with a `waitMs` may wait that long, and is sent with the next call; if no other item
 * came within that time before it, it is sent immediately.
 */
import { monotonicMs } from '../durations.ts';
import type { Arguments, BatchItem, Reply, Script, ScriptRunner } from './script.ts';
import type { ShardKeys } from './wallet-keys.ts';

/** Redis does nothing else while a call runs, which takes a few milliseconds with this many items. */
const itemsMax = 64;
/** A response kept for an Idempotency-Key may be a megabyte; an item that large is sent with few others, or alone. */
const charactersMax = 262_144;
/** How long an urgent item waits for the reply to the previous call. */
const urgentWaitMs = 5;

interface WaitingItem extends BatchItem {
  resolve(reply: Reply): void;
  reject(error: unknown): void;
}

/** In a cluster, each call is limited to the keys of one slot. */
export interface BatchRunner extends ScriptRunner {
  readonly isCluster?: boolean;
}

export class BatchedScript<Name extends string> {
  readonly #script: Script<Name>;
  readonly #redis: BatchRunner;
  #waiting: WaitingItem[] = [];
  /** At least one of the waiting items is urgent. */
  #isUrgent = false;
  #callsInFlight = 0;
  #timer: Timer | undefined;
  #timerAtMs = Number.POSITIVE_INFINITY;
  #isSendScheduled = false;
  #lastItemAtMs = 0;

  constructor(script: Script<Name>, redis: BatchRunner) {
    this.#script = script;
    this.#redis = redis;
  }

  /**
   * Like Script.run; if Redis does not reply, the outcome of every item in the call is unknown. `waitMs` is how long
   * the item may wait for others.
   */
  run(keys: ShardKeys, given: Arguments<Name>, waitMs = 0): Promise<Reply> {
    const { values } = this.#script.pack(keys, given);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ keys, values, resolve, reject });
      this.#schedule(waitMs);
    });
  }

  #schedule(waitMs: number): void {
    const nowMs = monotonicMs();
    const isQuiet = nowMs - this.#lastItemAtMs > waitMs;
    this.#lastItemAtMs = nowMs;
    if (waitMs === 0 || isQuiet) this.#isUrgent = true;
    if (this.#waiting.length >= itemsMax || (this.#isUrgent && this.#callsInFlight === 0)) this.#sendSoon();
    else this.#sendWithin(this.#isUrgent ? urgentWaitMs : waitMs, nowMs);
  }

  #sendSoon(): void {
    if (this.#isSendScheduled) return;
    this.#isSendScheduled = true;
    setImmediate(this.#sendWaiting);
  }

  #sendWithin(waitMs: number, nowMs: number): void {
    if (this.#isSendScheduled || this.#timerAtMs <= nowMs + waitMs) return;
    clearTimeout(this.#timer);
    this.#timerAtMs = nowMs + waitMs;
    this.#timer = setTimeout(this.#sendWaiting, waitMs);
  }

  readonly #sendWaiting = (): void => {
    clearTimeout(this.#timer);
    this.#timerAtMs = Number.POSITIVE_INFINITY;
    this.#isSendScheduled = false;
    this.#isUrgent = false;
    const items = this.#waiting;
    this.#waiting = [];
    const groups = this.#redis.isCluster === true ? Map.groupBy(items, ({ keys }) => keys.tag).values() : [items];
    for (const group of groups) for (const call of splitIntoCalls(group)) void this.#send(call);
  };

  async #send(items: readonly WaitingItem[]): Promise<void> {
    this.#callsInFlight += 1;
    try {
      const replies = await this.#script.runAll(this.#redis, items);
      items.forEach(({ resolve, reject }, index) => {
        const reply = replies[index];
        if (reply === undefined || reply instanceof Error) reject(reply);
        else resolve(reply);
      });
    } catch (error) {
      for (const { reject } of items) reject(error);
    } finally {
      this.#callsInFlight -= 1;
      if (this.#isUrgent && this.#callsInFlight === 0) this.#sendSoon();
    }
  }
}

function splitIntoCalls(items: readonly WaitingItem[]): WaitingItem[][] {
  const calls: WaitingItem[][] = [];
  let call: WaitingItem[] = [];
  let characters = 0;
  for (const item of items) {
    let size = 0;
    for (const value of item.values) size += typeof value === 'string' ? value.length : 0;
    if (call.length > 0 && (call.length === itemsMax || characters + size > charactersMax)) {
      calls.push(call);
      call = [];
      characters = 0;
    }
    call.push(item);
    characters += size;
  }
  if (call.length > 0) calls.push(call);
  return calls;
}
