/**
 * A script whose orders go to Redis in calls of many. One that comes up while nothing is under way leaves in the same turn
 * of the event loop; those that come up while a call is under way wait for its answer, or for a few milliseconds, and
 * leave together. So at rest nothing waits for others, and the busier Redis is, the more orders share a call, each of
 * which costs both ends a fraction of what a call takes by itself.
 */
import type { Arguments, PackedOrder, Reply, Script, ScriptRunner } from './script.ts';
import type { ShardKeys } from './wallet-keys.ts';

/** Redis does nothing else while a call runs: with so many orders, some milliseconds. */
const ordersMax = 64;
/** An answer that is kept for an Idempotency-Key may be a megabyte; so large an order goes with few others, or alone. */
const charactersMax = 262_144;
/** So long an order waits for the answer of a call that left before it. */
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
  #underWay = 0;
  #timer: Timer | undefined;

  constructor(script: Script<Name>, redis: GatheringRunner) {
    this.#script = script;
    this.#redis = redis;
  }

  /** As Script.run; where Redis does not answer, the outcome of everything in the call is unknown. */
  run(keys: ShardKeys, given: Arguments<Name>): Promise<Reply> {
    const { values } = this.#script.pack(keys, given);
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) this.#sendSoon();
      this.#waiting.push({ keys, values, resolve, reject });
    });
  }

  #sendSoon(): void {
    if (this.#underWay === 0) setImmediate(this.#sendWaiting);
    else this.#timer = setTimeout(this.#sendWaiting, patienceMs);
  }

  readonly #sendWaiting = (): void => {
    clearTimeout(this.#timer);
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
      if (this.#waiting.length > 0 && this.#underWay === 0) setImmediate(this.#sendWaiting);
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
