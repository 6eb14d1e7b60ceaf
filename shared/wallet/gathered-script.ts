/**
 * A script whose orders go to Redis in calls of many, because a call costs both ends more than an order in it. What somebody
 * waits for leaves in the same turn of the event loop where nothing is under way; otherwise it waits for the answer of the
 * call that left before it, or for a few milliseconds. What nobody waits for may be given longer, and leaves with whatever
 * leaves first; where nothing else has come for that long, it leaves at once.
 */
import { monotonicMs } from '../monotonic.ts';
import type { Arguments, PackedOrder, Reply, Script, ScriptRunner } from './script.ts';
import type { ShardKeys } from './wallet-keys.ts';

/** Redis does nothing else while a call runs: with so many orders, some milliseconds. */
const ordersMax = 64;
/** An answer that is kept for an Idempotency-Key may be a megabyte; so large an order goes with few others, or alone. */
const charactersMax = 262_144;
/** So long an order that somebody waits for waits for the answer of a call that left before it. */
const patienceMs = 5;

interface WaitingOrder extends PackedOrder {
  resolve(reply: Reply): void;
  reject(error: unknown): void;
}

/** A cluster, whose calls are each about keys of one slot, says so. */
export interface GatheringRunner extends ScriptRunner {
  readonly isCluster?: boolean;
}

export class GatheredScript<Name extends string> {
  readonly #script: Script<Name>;
  readonly #redis: GatheringRunner;
  #waiting: WaitingOrder[] = [];
  /** Somebody waits for one of the waiting orders. */
  #isUrgent = false;
  #underWay = 0;
  #timer: Timer | undefined;
  #timerAtMs = Number.POSITIVE_INFINITY;
  #isLeaving = false;
  #lastOrderAtMs = 0;

  constructor(script: Script<Name>, redis: GatheringRunner) {
    this.#script = script;
    this.#redis = redis;
  }

  /**
   * As Script.run; where Redis does not answer, the outcome of everything in the call is unknown. `waitMs` is how long the
   * order may wait for others.
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
    const isQuiet = nowMs - this.#lastOrderAtMs > waitMs;
    this.#lastOrderAtMs = nowMs;
    if (waitMs === 0 || isQuiet) this.#isUrgent = true;
    if (this.#waiting.length >= ordersMax || (this.#isUrgent && this.#underWay === 0)) this.#leave();
    else this.#leaveWithin(this.#isUrgent ? patienceMs : waitMs, nowMs);
  }

  #leave(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    setImmediate(this.#sendWaiting);
  }

  #leaveWithin(waitMs: number, nowMs: number): void {
    if (this.#isLeaving || this.#timerAtMs <= nowMs + waitMs) return;
    clearTimeout(this.#timer);
    this.#timerAtMs = nowMs + waitMs;
    this.#timer = setTimeout(this.#sendWaiting, waitMs);
  }

  readonly #sendWaiting = (): void => {
    clearTimeout(this.#timer);
    this.#timerAtMs = Number.POSITIVE_INFINITY;
    this.#isLeaving = false;
    this.#isUrgent = false;
    const orders = this.#waiting;
    this.#waiting = [];
    const groups = this.#redis.isCluster === true ? Map.groupBy(orders, ({ keys }) => keys.tag).values() : [orders];
    for (const group of groups) for (const call of callsOf(group)) void this.#send(call);
  };

  async #send(orders: readonly WaitingOrder[]): Promise<void> {
    this.#underWay += 1;
    try {
      const replies = await this.#script.runAll(this.#redis, orders);
      orders.forEach(({ resolve, reject }, index) => {
        const reply = replies[index];
        if (reply === undefined || reply instanceof Error) reject(reply);
        else resolve(reply);
      });
    } catch (error) {
      for (const { reject } of orders) reject(error);
    } finally {
      this.#underWay -= 1;
      if (this.#isUrgent && this.#underWay === 0) this.#leave();
    }
  }
}

function callsOf(orders: readonly WaitingOrder[]): WaitingOrder[][] {
  const calls: WaitingOrder[][] = [];
  let call: WaitingOrder[] = [];
  let characters = 0;
  for (const order of orders) {
    let size = 0;
    for (const value of order.values) size += typeof value === 'string' ? value.length : 0;
    if (call.length > 0 && (call.length === ordersMax || characters + size > charactersMax)) {
      calls.push(call);
      call = [];
      characters = 0;
    }
    call.push(order);
    characters += size;
  }
  if (call.length > 0) calls.push(call);
  return calls;
}
