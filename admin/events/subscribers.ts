/**
 * The clients of a replica, with limits for each account and each client address. When all places are taken, a newcomer
 * gets the place of the oldest client of the account or address that has the most: so no one can keep others out by
 * opening many streams.
 */
import { GatewayError } from '../../shared/errors.ts';

export interface Member {
  readonly accountId: number;
  /** The client's address. */
  readonly address: string;
}

interface SubscriberLimits {
  readonly account: number;
  /** A whole office may have one address. */
  readonly address: number;
  readonly all: number;
}

export const subscriberLimits: SubscriberLimits = { account: 20, address: 200, all: 5_000 };
const retryAfterSeconds = 30;

export class Subscribers<Each extends Member> implements Iterable<Each> {
  readonly #limits: SubscriberLimits;
  readonly #all = new Set<Each>();
  /** Of each account and of each address, oldest first. */
  readonly #groups = new Map<string, Set<Each>>();

  constructor(limits: SubscriberLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#all.size;
  }

  [Symbol.iterator](): Iterator<Each> {
    return this.#all.values();
  }

  /** Returns whose place the newcomer has taken, if any. Throws GatewayError `rate_limit_exceeded`. */
  add(newcomer: Each): Each | undefined {
    const [account, address] = groupsOf(newcomer);
    if (this.#sizeOf(account) >= this.#limits.account) throw tooManyStreams();
    if (this.#sizeOf(address) >= this.#limits.address) throw tooManyFromAddress();
    const replaced = this.#all.size < this.#limits.all ? undefined : this.#makeRoom();
    this.#all.add(newcomer);
    for (const name of [account, address]) {
      const group = this.#groups.get(name) ?? new Set();
      this.#groups.set(name, group.add(newcomer));
    }
    return replaced;
  }

  delete(member: Each): void {
    if (!this.#all.delete(member)) return;
    for (const name of groupsOf(member)) {
      const group = this.#groups.get(name);
      group?.delete(member);
      if (group?.size === 0) this.#groups.delete(name);
    }
  }

  #makeRoom(): Each {
    let largest = new Set<Each>();
    for (const group of this.#groups.values()) if (group.size > largest.size) largest = group;
    const [oldest] = largest;
    // With one each, no one has more than a fair share.
    if (oldest === undefined || largest.size === 1) throw noPlace();
    this.delete(oldest);
    return oldest;
  }

  #sizeOf(name: string): number {
    return this.#groups.get(name)?.size ?? 0;
  }
}

const groupsOf = ({ accountId, address }: Member) => [`account ${accountId}`, `address ${address}`] as const;

const refusal = (message: string) => new GatewayError('rate_limit_exceeded', message, { retryAfterSeconds });

export const tooManyStreams = () => refusal(`An account can have at most ${subscriberLimits.account} event streams.`);
const tooManyFromAddress = () => refusal('Too many event streams from this address. Poll instead, or try again later.');
const noPlace = () =>
  refusal('This replica has no capacity for another event stream. Poll instead, or try again later.');
