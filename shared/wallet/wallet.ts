/**
 * The wallet's operations for the proxy: peek, reserve, renew, settle, release. Each is one Lua script and one round
 * trip, batched with others of its kind that are made at the same moment, and the request id makes each safe to repeat.
 * A rejected promise means that the outcome is unknown.
 */
import type { PublishedRules } from '../keys/key-rules.ts';
import { type NanoUsd, nanoUsd, type PicoUsdPerToken } from '../money.ts';
import { BatchedScript, type BatchRunner } from './batched-script.ts';
import { encodeDefaults, type RateLimits } from './key-limits.ts';
import { type KeyStatus, type KeyStatusRefusal, readKeyStatusReply } from './key-status.ts';
import {
  coveredInScripts,
  type DrawRequest,
  type DrawResult,
  drawArguments,
  exactMs,
  holdMs,
  type LeaseCharges,
  readDrawReply,
} from './lease.ts';
import {
  type KeyRefusal,
  type OtherRules,
  type Peek,
  type PeekRefusal,
  type Reservation,
  type ReserveRefusal,
  readKeyRefusal,
  readPeekReply,
  readReserveReply,
  readRules,
} from './reserve-reply.ts';
import { type ReuseGrant, type ReuseRefusal, readReuseReply } from './reuse-reply.ts';
import type { Shard } from './shard.ts';
import { keysOfShard } from './wallet-keys.ts';
import { type ArgumentsOf, type WalletScripts, walletScripts } from './wallet-scripts.ts';

/** What the wallet needs of a Redis client. */
export interface WalletRedis extends BatchRunner {
  xrange(
    key: string,
    start: string,
    end: string,
    count: 'COUNT',
    limit: number,
  ): Promise<[id: string, fields: string[]][]>;
}

export interface ReserveRequest {
  readonly requestId: string;
  readonly shard: Shard;
  readonly keyHash: string;
  /** The ids of those that may serve it. */
  readonly models: readonly string[];
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
  /** The account's leases have just been recalled for it: it is refused, or gets a lower cap, whatever they still have. */
  readonly isRecalled?: boolean;
  /** Of the rules that the request was judged by; none by default. */
  readonly rulesMark?: string;
  /** Counted as used until the settle reports the actual number. */
  readonly rateTokens: number;
  readonly once: Once | undefined;
  /** It counts towards no limit of requests, tokens or concurrent requests. */
  readonly isUnlimited?: boolean;
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
export type PeekRequest = Omit<ReserveRequest, 'requestId' | 'detail' | 'rateTokens' | 'once' | 'isUnlimited'>;

export type AdmitRequest = Pick<ReserveRequest, 'shard' | 'keyHash' | 'identity'>;
export type KeyStatusRequest = AdmitRequest &
  Pick<ReserveRequest, 'rateDefaults' | 'rulesMark'> & { readonly spending: boolean };

/** What decides whether a stored response may be given. */
export type ReuseRequest = AdmitRequest & Pick<ReserveRequest, 'models' | 'rateDefaults' | 'rulesMark'>;

export interface AdmittedKey {
  readonly ok: true;
  readonly accountId: number;
  /** What the key was hashed to when it was created. */
  readonly firstHash: string;
  /** For the caller to judge its requests by. */
  readonly rules: PublishedRules;
}

export type Admission = AdmittedKey | KeyRefusal;

/** A key that Redis knows by a hash under a former pepper. */
export interface RehashRequest {
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
  /** Its budgets are asked if it costs more than was held; undefined once Redis has had the charge. */
  readonly keyHash?: string | undefined;
  /** What its charge is attributed to: `ID:PROJECT:USER`, as Redis keeps it with the key. */
  readonly assignment?: string | undefined;
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
  readonly response?: string | undefined;
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

type Batched<Name extends keyof WalletScripts> = BatchedScript<keyof ArgumentsOf<Name> & string>;

export class Wallet {
  readonly #redis: WalletRedis;
  readonly #scripts: WalletScripts;
  readonly #admit: Batched<'admit'>;
  readonly #reserve: Batched<'reserve'>;
  readonly #reuse: Batched<'reuse'>;
  readonly #renew: Batched<'renew'>;
  readonly #settle: Batched<'settle'>;
  readonly #release: Batched<'release'>;
  readonly #draw: Batched<'draw'>;
  readonly #chargeLease: Batched<'chargeLease'>;

  constructor(redis: WalletRedis, scripts: WalletScripts = walletScripts) {
    this.#redis = redis;
    this.#scripts = scripts;
    this.#admit = new BatchedScript(scripts.admit, redis);
    this.#reserve = new BatchedScript(scripts.reserve, redis);
    this.#reuse = new BatchedScript(scripts.reuse, redis);
    this.#renew = new BatchedScript(scripts.renew, redis);
    this.#settle = new BatchedScript(scripts.settle, redis);
    this.#release = new BatchedScript(scripts.release, redis);
    this.#draw = new BatchedScript(scripts.draw, redis);
    this.#chargeLease = new BatchedScript(scripts.chargeLease, redis);
  }

  /** Checks whether the key is known and may be used now, before the request's body is read. */
  async admit({ shard, keyHash, identity }: AdmitRequest): Promise<Admission> {
    const reply = await this.#admit.run(keysOfShard(shard), { keyHash, identity });
    if (reply.status !== 'OK') return readKeyRefusal(reply);
    return {
      ok: true,
      accountId: Number(reply.account),
      firstHash: reply.first || keyHash,
      rules: readRules(reply),
    };
  }

  /** Asks the ledger to store the key under its new hash. */
  async requestRehash({ shard, keyHash, newHash, pepperMark }: RehashRequest): Promise<void> {
    await this.#scripts.askRehash.run(this.#redis, keysOfShard(shard), { keyHash, newHash, pepperMark });
  }

  async reserve(request: ReserveRequest): Promise<Reservation | ReserveRefusal | OtherRules> {
    const given = {
      ...quoteArguments(request),
      request: request.requestId,
      detail: request.detail,
      holdMs,
      tokens: request.rateTokens,
      idempotencyKeyDigest: request.once?.idempotencyKeyDigest,
      bodyDigest: request.once?.bodyDigest,
      unlimited: request.isUnlimited === true ? '1' : '',
    };
    return readReserveReply(await this.#reserve.run(keysOfShard(request.shard), given));
  }

  /**
   * What a reserve would return now. Holds no money, but counts as a request. Requests a missing wallet, as a reserve
   * does.
   */
  async peek(request: PeekRequest): Promise<Peek | PeekRefusal | OtherRules> {
    const keys = keysOfShard(request.shard);
    return readPeekReply(await this.#scripts.peek.run(this.#redis, keys, quoteArguments(request)));
  }

  /** Whether a request may be answered with a response that is stored for it. Counts as a request. */
  async reuse(request: ReuseRequest): Promise<ReuseGrant | ReuseRefusal | OtherRules> {
    const { shard, keyHash, models, identity, rateDefaults, rulesMark } = request;
    const given = {
      keyHash,
      models: models.join('\n'),
      identity,
      defaultLimits: encodeDefaults(rateDefaults),
      rulesMark,
    };
    return readReuseReply(await this.#reuse.run(keysOfShard(shard), given));
  }

  /**
   * The limits and balance of a key and its account; with `spending` also what the key has spent, which may have to be
   * requested from the ledger. Counts as a request.
   */
  async keyStatus(request: KeyStatusRequest): Promise<KeyStatus | KeyStatusRefusal | OtherRules> {
    const keys = keysOfShard(request.shard);
    const { keyHash, identity, rateDefaults, spending, rulesMark } = request;
    const withSpending = spending ? '1' : '0';
    const reply = await this.#scripts.keyStatus.run(this.#redis, keys, {
      keyHash,
      identity,
      defaultLimits: encodeDefaults(rateDefaults),
      withSpending,
      rulesMark,
    });
    return readKeyStatusReply(reply);
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
      assignment: held.assignment,
      amount: state.amountNano,
      progress: state.costNano,
      detail: state.detail,
      holdMs,
      keyHash: held.keyHash,
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
      assignment: held.assignment,
      cost: charge.costNano,
      detail: charge.detail,
      tokens: charge.tokens,
      confirmedEpoch: held.epoch,
      charged: charge.chargedNano,
      idempotencyKeyDigest: held.once?.idempotencyKeyDigest,
      answer: charge.response,
      keyHash: held.keyHash,
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

  /** Everything about a lease: charges from it, holds for requests out of it, and what it has. */
  async draw(draw: DrawRequest): Promise<DrawResult> {
    return readDrawReply(await this.#draw.run(keysOfShard(draw.shard), drawArguments(draw)));
  }

  /** A draw that only charges, at a fraction of its cost. Undefined if nothing was done, because it takes a whole one. */
  async chargeLease(given: LeaseCharges): Promise<{ amountNano: NanoUsd; streamId: string } | undefined> {
    if (!given.isPacked) return undefined;
    const {
      status,
      amount = '',
      streamId = '',
    } = await this.#chargeLease.run(keysOfShard(given.shard), {
      lease: given.leaseId,
      number: given.number,
      account: given.accountId,
      ...coveredInScripts(given.charges),
    });
    return status === 'OK' ? { amountNano: nanoUsd(BigInt(amount)), streamId } : undefined;
  }

  /**
   * Tells every proxy to return what no request uses of the account's leases, none of which is opened or grows for a second.
   * Returns from how many leases requests may still begin.
   */
  async recall(shard: Shard, accountId: number): Promise<number> {
    const reply = await this.#scripts.recall.run(this.#redis, keysOfShard(shard), { account: accountId, exactMs });
    return Number(reply.leases);
  }

  /** From how many leases of the account that were recalled requests may still begin. */
  async countRecalled(shard: Shard, accountId: number): Promise<number> {
    const reply = await this.#scripts.recalled.run(this.#redis, keysOfShard(shard), { account: accountId });
    return Number(reply.leases);
  }
}

function quoteArguments(request: PeekRequest): ArgumentsOf<'peek'> {
  return {
    keyHash: request.keyHash,
    models: request.models.join('\n'),
    amount: request.amountNano,
    promptPart: request.promptPartNano,
    outputPrice: request.outputPrice,
    outputCap: request.outputCap,
    lowestCap: request.lowestCap,
    identity: request.identity,
    defaultLimits: encodeDefaults(request.rateDefaults),
    recalled: request.isRecalled === true ? '1' : '',
    rulesMark: request.rulesMark,
  };
}
