/**
 * A script whose orders of one turn of the event loop go to Redis together, in one call. At rest that is one order; with
 * hundreds of requests a second it is many, and then both ends spend a fraction on each of what a call takes by itself.
 * Nothing waits for others to come.
 */
import type { Script, ScriptOrder, ScriptRunner } from './script.ts';
import type { ShardKeys } from './wallet-keys.ts';

/** Redis does nothing else while a call runs: with so many orders, some milliseconds. */
const ordersMax = 64;

interface WaitingOrder extends ScriptOrder {
  resolve(reply: string[]): void;
  reject(error: unknown): void;
}

/** A cluster, whose calls are each about keys of one slot, says so. */
export interface GatheringRunner extends ScriptRunner {
  readonly isCluster?: boolean;
}

export class GatheredScript {
  readonly #script: Script;
  readonly #redis: GatheringRunner;
  #waiting: WaitingOrder[] = [];

  constructor(script: Script, redis: GatheringRunner) {
    this.#script = script;
    this.#redis = redis;
  }

  /** As Script.run; where Redis does not answer, the outcome of everything in the call is unknown. */
  run(keys: ShardKeys, parameters: readonly string[]): Promise<string[]> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#sendWaiting());
      this.#waiting.push({ keys, parameters, resolve, reject });
    });
  }

  #sendWaiting(): void {
    const orders = this.#waiting;
    this.#waiting = [];
    const groups = this.#redis.isCluster === true ? Map.groupBy(orders, ({ keys }) => keys.tag).values() : [orders];
    for (const group of groups) {
      for (let start = 0; start < group.length; start += ordersMax)
        void this.#send(group.slice(start, start + ordersMax));
    }
  }

  async #send(orders: readonly WaitingOrder[]): Promise<void> {
    try {
      const replies = await this.#script.runAll(this.#redis, orders);
      orders.forEach(({ resolve, reject }, index) => {
        const reply = replies[index];
        if (Array.isArray(reply)) resolve(reply);
        else reject(reply);
      });
    } catch (error) {
      for (const { reject } of orders) reject(error);
    }
  }
}
