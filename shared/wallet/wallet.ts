/**
 * The wallet's operations for the proxy: peek, reserve, renew, settle, release. Each is one Lua script and one round
 * trip, batched with others of its kind that are made at the same moment, and the request id makes each safe to repeat.
 * A rejected promise means that the outcome is unknown.
 */
import { type NanoUsd, nanoUsd, type PicoUsdPerToken } from '../money.ts';
import { GatheredScript, type GatheringRunner } from './gathered-script.ts';
import type { RateLimits } from './key-limits.ts';
import { type KeyStatus, type KeyStatusRefusal, readKeyStatusReply } from './key-status.ts';
import { rateLimitsInScripts } from './limit-rows.ts';
import {
  type KeyRefusal,
  type Peek,
  type PeekRefusal,
  type Reservation,
  type ReserveRefusal,
  readKeyRefusal,
  readPeekReply,
  readReserveReply,
} from './reserve-reply.ts';
import type { Reply } from './script.ts';
import type { Shard } from './shard.ts';
import { keysOfShard, type ShardKeys } from './wallet-keys.ts';
import { type ArgumentsOf, type WalletScripts, walletScripts } from './wallet-scripts.ts';

/** How long a hold lives without renewal. */
export const leaseMs = 90_000;

/** What the wallet needs of a Redis client. */
export interface WalletRedis extends GatheringRunner {
  xrange(
    key: string,
    start: string,
    end: string,
    count: 'COUNT',
    limit: number,
  ): Promise<[id: string, fields: string[]][]>;
}

export interface ReserveOrder {
  readonly requestId: string;
  readonly shard: Shard;
  readonly keyHash: string;
  readonly model: string;
  /** The most that the request can cost with `outputCap`. */
  readonly amountNano: NanoUsd;
  /** The part of the amount that is for the prompt. */
  readonly promptPartNano: NanoUsd;
  /** The price of one more output token in each of the choices. */
  readonly outputPrice: PicoUsdPerToken;
  readonly outputCap: number;
  /** The lowest cap that may be granted if the balance does not cover `outputCap`; 0 forbids lowering it. */
  readonly lowestCap: number;
  /** The run id of the Redis that the caller is connected to; a shard that was opened in another one is recovering. */
  readonly identity: string;
  /** The limits of a key without its own; an account has five times as much. */
  readonly rateDefaults: RateLimits;
  /** Counted as used until the settle reports the actual number. */
  readonly rateTokens: number;
  readonly once: Once | undefined;
  /** The charge detail if the request is never settled. */
  readonly detail: string;
}

/** An Idempotency-Key: requests with the same digest count as one request. */
export interface Once {
  /** Digest of the API key and the Idempotency-Key. */
  readonly idempotencyKeyDigest: string;
  readonly bodyDigest: string;
}

/** What decides whether a reserve succeeds. */
export type PeekOrder = Omit<ReserveOrder, 'requestId' | 'detail' | 'rateTokens' | 'once'>;

export type AdmitOrder = Pick<ReserveOrder, 'shard' | 'keyHash' | 'identity'>;
export type KeyStatusOrder = AdmitOrder & Pick<ReserveOrder, 'rateDefaults'> & { readonly spending: boolean };
/** `firstHash`: what the key was hashed to when it was created. */
export type Admission = { readonly ok: true; readonly firstHash: string } | KeyRefusal;

/** A key that Redis knows by a hash under a former pepper. */
export interface RehashOrder {
  readonly shard: Shard;
  readonly keyHash: string;
  readonly newHash: string;
  /** Of the pepper that the new hash was made with. */
  readonly pepperMark: string;
}

/** A request that holds money. */
export interface HeldRequest {
  readonly requestId: string;
  readonly shard: Shard;
  readonly accountId: number;
  readonly keyId: number;
  /** The shard's epoch when the hold was last confirmed. */
  readonly epoch: string;
  readonly once?: Once | undefined;
}

/** A request that no longer holds money, or never did. */
export type ReleasedRequest = Pick<HeldRequest, 'requestId' | 'shard' | 'once'>;

export interface FinalCharge {
  readonly costNano: NanoUsd;
  /** How much of the cost a Redis has charged, if less than all of it. Another Redis charges no more than that. */
  readonly chargedNano?: NanoUsd | undefined;
  readonly detail: string;
  readonly tokens: number;
  /** Kept for the Idempotency-Key and returned to repetitions; empty if it is too large. */
  readonly answer?: string | undefined;
}

/** The confirmation of a charge by Redis. */
export interface Settled {
  /** The id of the charge's entry in the usage stream, or of a later one; empty if the ledger has every entry. */
  readonly streamId: string;
  /** Undefined if the request had been released. */
  readonly chargedNano: NanoUsd | undefined;
}

export type RenewResult =
  | { readonly ok: true; readonly epoch: string }
  | { readonly ok: false; readonly reason: 'gone' | 'short' | 'wallet_missing' };

type Gathered<Name extends keyof WalletScripts> = GatheredScript<keyof ArgumentsOf<Name> & string>;

export class Wallet {
  readonly #redis: WalletRedis;
  readonly #scripts: WalletScripts;
  readonly #admit: Gathered<'admit'>;
  readonly #reserve: Gathered<'reserve'>;
  readonly #renew: Gathered<'renew'>;
  readonly #settle: Gathered<'settle'>;
  readonly #release: Gathered<'release'>;

  constructor(redis: WalletRedis, scripts: WalletScripts = walletScripts) {
    this.#redis = redis;
    this.#scripts = scripts;
    this.#admit = new GatheredScript(scripts.admit, redis);
    this.#reserve = new GatheredScript(scripts.reserve, redis);
    this.#renew = new GatheredScript(scripts.renew, redis);
    this.#settle = new GatheredScript(scripts.settle, redis);
    this.#release = new GatheredScript(scripts.release, redis);
  }

  /** Checks whether the key is known and may be used now, before the request's body is read. */
  async admit({ shard, keyHash, identity }: AdmitOrder): Promise<Admission> {
    const reply = await this.#admit.run(keysOfShard(shard), { keyHash, identity });
    return reply.status === 'OK' ? { ok: true, firstHash: reply.first || keyHash } : readKeyRefusal(reply);
  }

  /** Asks the ledger to store the key under its new hash. */
  async askRehash({ shard, keyHash, newHash, pepperMark }: RehashOrder): Promise<void> {
    await this.#scripts.askRehash.run(this.#redis, keysOfShard(shard), { keyHash, newHash, pepperMark });
  }

  /** `waitMs` is how long it may wait for others to be batched with. */
  async reserve(order: ReserveOrder, waitMs = 0): Promise<Reservation | ReserveRefusal> {
    const given = {
      ...quoteArguments(order),
      request: order.requestId,
      detail: order.detail,
      leaseMs,
      tokens: order.rateTokens,
      idempotencyKeyDigest: order.once?.idempotencyKeyDigest,
      bodyDigest: order.once?.bodyDigest,
    };
    return readReserveReply(await this.#reserve.run(keysOfShard(order.shard), given, waitMs));
  }

  /** Reserves that may wait for others to be batched with are sent now: a caller waits for one of them. */
  hurryReserves(): void {
    this.#reserve.hurry();
  }

  /**
   * What a reserve would return now. Holds no money, but counts as a request. Requests a missing wallet, as a reserve
   * does.
   */
  async peek(order: PeekOrder): Promise<Peek | PeekRefusal> {
    const keys = keysOfShard(order.shard);
    const reply = await this.#scripts.peek.run(this.#redis, keys, quoteArguments(order));
    if (reply.status === 'MISS') await this.#askLedger(keys, reply);
    return readPeekReply(reply);
  }

  /**
   * The limits and balance of a key and its account; with `spending` also what the key has spent, which may have to be
   * requested from the ledger. Counts as a request.
   */
  async keyStatus(order: KeyStatusOrder): Promise<KeyStatus | KeyStatusRefusal> {
    const keys = keysOfShard(order.shard);
    const { keyHash, identity, rateDefaults, spending } = order;
    const withSpending = spending ? '1' : '0';
    const reply = await this.#scripts.keyStatus.run(this.#redis, keys, {
      keyHash,
      identity,
      defaultLimits: encodeDefaults(rateDefaults),
      withSpending,
    });
    if (reply.status === 'MISS') await this.#askLedger(keys, reply);
    return readKeyStatusReply(reply);
  }

  async #askLedger(keys: ShardKeys, { account, key, shown }: Reply): Promise<void> {
    await this.#scripts.askLedger.run(this.#redis, keys, { account, key, shown });
  }

  /** Stores the cost of what was delivered so far, raises the hold to `amountNano`, and extends the deadline. */
  async renew(
    held: HeldRequest,
    state: { amountNano: NanoUsd; costNano: NanoUsd; detail: string },
  ): Promise<RenewResult> {
    const { status, epoch = '' } = await this.#renew.run(keysOfShard(held.shard), {
      request: held.requestId,
      account: held.accountId,
      key: held.keyId,
      amount: state.amountNano,
      progress: state.costNano,
      detail: state.detail,
      leaseMs,
    });
    if (status === 'OK') return { ok: true, epoch };
    if (status === 'GONE') return { ok: false, reason: 'gone' };
    if (status === 'SHORT') return { ok: false, reason: 'short' };
    if (status === 'MISS') return { ok: false, reason: 'wallet_missing' };
    throw new Error(`renew.lua returned ${status}`);
  }

  /** Charges the final cost. Repeating it changes nothing. */
  async settle(held: HeldRequest, charge: FinalCharge, waitMs = 0): Promise<Settled> {
    const given = {
      request: held.requestId,
      account: held.accountId,
      key: held.keyId,
      cost: charge.costNano,
      detail: charge.detail,
      tokens: charge.tokens,
      confirmedEpoch: held.epoch,
      charged: charge.chargedNano,
      idempotencyKeyDigest: held.once?.idempotencyKeyDigest,
      answer: charge.answer,
    };
    const { streamId = '', charged = '' } = await this.#settle.run(keysOfShard(held.shard), given, waitMs);
    return { streamId, chargedNano: charged === '' ? undefined : nanoUsd(BigInt(charged)) };
  }

  /**
   * The id of the shard's first event that is not in Postgres yet; undefined if there is none. Events are removed from
   * the stream in order, and only after they are booked.
   */
  async readFirstUnbooked(shard: Shard): Promise<string | undefined> {
    const [first] = await this.#redis.xrange(keysOfShard(shard).usage, '-', '+', 'COUNT', 1);
    return first?.[0];
  }

  /** Returns the hold, prevents one by a delayed reserve, and frees the Idempotency-Key. */
  async release({ requestId, shard, once }: ReleasedRequest, waitMs = 0): Promise<void> {
    const idempotencyKeyDigest = once?.idempotencyKeyDigest;
    await this.#release.run(keysOfShard(shard), { request: requestId, idempotencyKeyDigest }, waitMs);
  }
}

function quoteArguments(order: PeekOrder): ArgumentsOf<'peek'> {
  return {
    keyHash: order.keyHash,
    model: order.model,
    amount: order.amountNano,
    promptPart: order.promptPartNano,
    outputPrice: order.outputPrice,
    outputCap: order.outputCap,
    lowestCap: order.lowestCap,
    identity: order.identity,
    defaultLimits: encodeDefaults(order.rateDefaults),
  };
}

/** One text, which the script reads once for all requests that have the same. */
function encodeDefaults(limits: RateLimits): string {
  let encoded = encodedDefaults.get(limits);
  if (encoded === undefined) {
    encoded = rateLimitsInScripts.map(({ name }) => limits[name]).join(' ');
    encodedDefaults.set(limits, encoded);
  }
  return encoded;
}

/** A program has the same ones for all requests. */
const encodedDefaults = new WeakMap<RateLimits, string>();
