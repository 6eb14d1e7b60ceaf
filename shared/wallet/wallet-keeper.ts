/**
 * The wallet's operations for admin: publishes keys, opens shards, credits, hydrates, and expires abandoned holds.
 * Every operation is idempotent.
 */

import { encodeKeyRules, noRules, type RuleEntries } from '../keys/key-rules.ts';
import type { Scope } from '../limits/budget-levels.ts';
import {
  type PerSpendLimit,
  perSpendLimit,
  spendLimits,
  windowedLimits,
  windowNumber,
} from '../limits/spend-limits.ts';
import { encodeOffsets, utcOffsets, type ZoneOffsets } from '../limits/zone-offsets.ts';
import { recordOf } from '../members.ts';
import { type NanoUsd, nanoUsd } from '../money.ts';
import type { RedisClient } from '../redis/connect.ts';
import { ResponseStore } from '../response-cache/response-store.ts';
import { type DimensionName, encodeDimensionNames } from '../usage/dimension-names.ts';
import { type CountedSpend, readCounted } from './counted-spend.ts';
import { encodeKeyLimits, type KeyLimits } from './key-limits.ts';
import { leaseSpanMs } from './lease.ts';
import type { BatchItem } from './script.ts';
import type { Shard } from './shard.ts';
import { shardOfAccount } from './shard.ts';
import { keysOfShard, orphansKey, spentKey, walletKey } from './wallet-keys.ts';
import { type WalletScripts, walletScripts } from './wallet-scripts.ts';

export interface Assignment {
  /** Null if the key was never moved. */
  readonly id: number | null;
  readonly projectId: number | null;
  readonly userId: number | null;
}

const noAssignment: Assignment = { id: null, projectId: null, userId: null };

/** The current state of a proxy key. */
export interface PublishedKey {
  readonly id: number;
  readonly accountId: number;
  readonly hash: string;
  /** The hash that it was created with, if that was another one. */
  readonly firstHash?: string | null;
  /** The hash under a former pepper, by which the key is still found for this long. */
  readonly former?: { readonly hash: string; readonly lifeMs: number } | undefined;
  readonly version: number;
  readonly deleted: boolean;
  readonly active: boolean;
  /** False while the e-mail address of the key's account is not verified. */
  readonly addressProven: boolean;
  /** Whether it is in a project that is archived. */
  readonly projectArchived?: boolean;
  /** What its charges are attributed to, besides the key itself. */
  readonly assignment?: Assignment;
  readonly expiresAt: Date | null;
  readonly allowedModels: readonly string[] | null;
  /** None by default. */
  readonly rules?: RuleEntries;
  readonly limits: KeyLimits;
  /** Of its organization, in which the periods of budgets begin; UTC by default. */
  readonly zone?: ZoneOffsets;
  /** What else its charges are attributed to; nothing by default. */
  readonly dimensions?: readonly DimensionName[];
}

/** The ledger's state of an account. */
export interface LedgerState {
  readonly accountId: number;
  readonly creditedNano: bigint;
  readonly spentNano: bigint;
  readonly creditSeq: number;
  /** For each orphan known to the caller, what the ledger has booked. */
  readonly orphans: ReadonlyMap<string, BookedOrphan>;
}

export interface BookedOrphan {
  /** 0 if the ledger has nothing. */
  readonly rank: number;
  readonly chargedNano: bigint;
}

/** An orphan that the ledger has decided about. */
export interface DecidedOrphan {
  readonly accountId: number;
  readonly keyId: number;
  readonly requestId: string;
  readonly rank: 1 | 2;
  /** How much the booking changed what the account was charged; 0 if the ledger already had it. */
  readonly differenceNano: bigint;
}

/** What was spent within a scope according to the ledger. */
export interface ScopeSpend {
  readonly accountId: number;
  /** The name of its record: the id of a key, or as `scopeName` writes it. */
  readonly scope: string;
  /** The entry of the usage stream by which it was asked for; undefined for one of an older version. */
  readonly asked?: string | undefined;
  /** In the windows of this moment, in this zone. */
  readonly at: Date;
  readonly zone?: ZoneOffsets;
  readonly spentNano: PerSpendLimit<bigint>;
}

/**
 * `filling`: as open, for keys that are there. Others may not have been published yet: only where Redis had none at all, so that
 * what is there is new. Earlier versions take it for recovering.
 */
export type ShardMode = 'open' | 'filling' | 'recovering';

export interface ShardMeta {
  readonly mode: ShardMode;
  readonly epoch: number;
  /** The run id of the Redis that the shard was opened in. */
  readonly identity: string;
}

const requestsPerCall = 500;
const keysPerCall = 100;
/** The greatest age of a figure that is only shown. */
const shownSeconds = 5;

export class WalletKeeper {
  readonly #redis: RedisClient;
  readonly #scripts: WalletScripts;

  constructor(redis: RedisClient, scripts: WalletScripts = walletScripts) {
    this.#redis = redis;
    this.#scripts = scripts;
  }

  /** Those that are stored for repetitions of the account's requests. */
  async removeResponses(accountId: number): Promise<void> {
    await new ResponseStore(this.#redis).removeOf(accountId);
  }

  /** What an account can spend now and what its running requests hold; undefined if it has no wallet in Redis. */
  async readWallet(accountId: number): Promise<{ availableNano: NanoUsd; heldNano: NanoUsd } | undefined> {
    const { tag } = keysOfShard(shardOfAccount(accountId));
    const [available, held] = await this.#redis.hmget(walletKey(tag, accountId), 'available', 'held');
    if (typeof available !== 'string' || typeof held !== 'string') return undefined;
    return { availableNano: nanoUsd(BigInt(available)), heldNano: nanoUsd(BigInt(held)) };
  }

  /** Idempotent; an older version never replaces a newer one. */
  publishKey(key: PublishedKey): Promise<void> {
    return this.publishKeys([key]);
  }

  /** The same for many. */
  async publishKeys(published: readonly PublishedKey[]): Promise<void> {
    const items = published.flatMap((key) => {
      const { hash, former } = key;
      return [this.#packKey(key, { hash }), ...(former === undefined ? [] : [this.#packKey(key, former)])];
    });
    const calls = [...Map.groupBy(items, ({ keys }) => keys.tag).values()].flatMap((ofShard) =>
      Array.from({ length: Math.ceil(ofShard.length / keysPerCall) }, (_, index) =>
        ofShard.slice(index * keysPerCall, (index + 1) * keysPerCall),
      ),
    );
    const replies = await Promise.all(calls.map((call) => this.#scripts.publishKey.runAll(this.#redis, call)));
    for (const reply of replies.flat()) if (reply instanceof Error) throw reply;
  }

  #packKey(key: PublishedKey, { hash, lifeMs }: { hash: string; lifeMs?: number }): BatchItem {
    const rules = encodeKeyRules(key.rules ?? noRules);
    return this.#scripts.publishKey.pack(keysOfShard(shardOfAccount(key.accountId)), {
      hash,
      version: key.version,
      account: key.deleted ? '' : key.accountId,
      key: key.id,
      active: stateOf(key),
      expiresAt: key.expiresAt?.getTime(),
      models: key.allowedModels === null ? '' : `\n${key.allowedModels.join('\n')}\n`,
      limits: encodeKeyLimits(key.limits),
      first: key.firstHash ?? '',
      assignment: encodeAssignment(key.assignment),
      zone: encodeOffsets(key.zone ?? utcOffsets),
      dimensions: encodeDimensionNames(key.dimensions ?? []),
      lifeMs,
      rulesMark: rules.mark,
      rules: rules.text,
      spanMs: leaseSpanMs,
    });
  }

  /** From how many leases of the account requests may still begin although their key has changed. */
  async countRecalledLeases(accountId: number): Promise<number> {
    const keys = keysOfShard(shardOfAccount(accountId));
    const reply = await this.#scripts.recalled.run(this.#redis, keys, { account: accountId });
    return Number(reply.leases);
  }

  /**
   * A negative amount is a withdrawal, which ends the hold `holdId` that set it aside. `gap`: an earlier credit must be sent
   * first. `wallet_missing`: the wallet will be hydrated with the credit.
   */
  async credit(input: {
    accountId: number;
    creditSeq: number;
    amountNano: bigint;
    holdId?: string | null;
  }): Promise<'applied' | 'duplicate' | 'gap' | 'wallet_missing'> {
    const { status } = await this.#scripts.credit.run(this.#redis, keysOfShard(shardOfAccount(input.accountId)), {
      account: input.accountId,
      creditSeq: input.creditSeq,
      amount: input.amountNano > 0n ? input.amountNano : 0n,
      taken: input.amountNano < 0n ? -input.amountNano : 0n,
      request: input.holdId ?? '',
    });
    if (status === 'OK') return 'applied';
    if (status === 'DUPLICATE') return 'duplicate';
    if (status === 'GAP') return 'gap';
    if (status === 'MISS') return 'wallet_missing';
    throw new Error(`credit.lua returned ${status}`);
  }

  /** The account's requests whose charges the ledger has yet to decide about. */
  async readOrphans(accountId: number): Promise<string[]> {
    const { tag } = keysOfShard(shardOfAccount(accountId));
    const names = await this.#redis.hkeys(orphansKey(tag, accountId));
    return [...new Set(names.map((name) => name.replace(/:\d$/, '')))];
  }

  /** `again`: a charge was made in between that the caller does not know of. */
  async hydrate(state: LedgerState): Promise<'hydrated' | 'exists' | 'again'> {
    const { status } = await this.#scripts.hydrate.run(this.#redis, keysOfShard(shardOfAccount(state.accountId)), {
      account: state.accountId,
      balance: state.creditedNano - state.spentNano,
      credited: state.creditedNano,
      spent: state.spentNano,
      creditSeq: state.creditSeq,
      orphans: Array.from(state.orphans, ([request, { rank, chargedNano }]) => ({
        request,
        rank: String(rank),
        charged: String(chargedNano),
      })),
    });
    if (status === 'OK') return 'hydrated';
    if (status === 'EXISTS') return 'exists';
    if (status === 'AGAIN') return 'again';
    throw new Error(`hydrate.lua returned ${status}`);
  }

  /**
   * Corrects the wallets of one shard, once for each of these orphans. Returns the accounts for which that failed, while it is done
   * for the others.
   */
  async absorb(shard: Shard, orphans: readonly DecidedOrphan[]): Promise<ReadonlyMap<number, Error>> {
    const keys = keysOfShard(shard);
    const failed = new Map<number, Error>();
    for (let start = 0; start < orphans.length; start += requestsPerCall) {
      const byAccount = [...Map.groupBy(orphans.slice(start, start + requestsPerCall), ({ accountId }) => accountId)];
      const items = byAccount.map(([, own]) => this.#scripts.absorb.pack(keys, { orphans: own.map(packOrphan) }));
      const replies = await this.#scripts.absorb.runAll(this.#redis, items);
      for (const [index, [accountId]] of byAccount.entries()) {
        const reply = replies[index];
        if (reply instanceof Error) failed.set(accountId, reply);
      }
    }
    return failed;
  }

  /** Loads what was spent within a scope that has a budget, if Redis still asks for it. */
  async hydrateSpend({ accountId, scope, asked = '', at, zone = utcOffsets, spentNano }: ScopeSpend): Promise<void> {
    await this.#scripts.hydrateSpend.run(this.#redis, keysOfShard(shardOfAccount(accountId)), {
      account: accountId,
      scope,
      asked,
      zone: encodeOffsets(zone),
      windows: recordOf(windowedLimits, (limit) => [limit.name, String(windowNumber(limit, at, zone))]),
      spent: perSpendLimit(({ name }) => String(spentNano[name])),
    });
  }

  /** What is spent and held within a scope now; undefined if it is not counted in this Redis, or in another zone. */
  readScopeSpend(
    scope: Scope,
    at: { readonly now: Date; readonly zone: ZoneOffsets },
  ): Promise<CountedSpend | undefined> {
    return readCounted(this.#redis, this.#scripts, scope, at);
  }

  /** Caches what a key without a spending limit has spent, for a few seconds. */
  async showSpend({ accountId, scope, at, zone, spentNano }: ScopeSpend): Promise<void> {
    const { tag } = keysOfShard(shardOfAccount(accountId));
    const shown: (number | bigint)[] = [];
    for (const limit of windowedLimits) shown[limit.place - 2] = windowNumber(limit, at, zone);
    for (const { name, place } of spendLimits) shown[place - 1] = spentNano[name];
    await this.#redis.set(spentKey(tag, scope), shown.join(','), 'EX', shownSeconds);
  }

  /** The requests of a shard that hold money. */
  async readHeldRequests(shard: Shard): Promise<string[]> {
    return this.#redis.zrange(keysOfShard(shard).holds, '0', '-1');
  }

  /**
   * Restores what the ledger has booked, request id → `rank:cost`, so that replays of these requests are duplicates.
   */
  async restoreOutcomes(shard: Shard, outcomes: ReadonlyMap<string, string>): Promise<void> {
    const keys = keysOfShard(shard);
    const booked = Array.from(outcomes, ([request, outcome]) => ({ request, outcome }));
    for (let start = 0; start < booked.length; start += requestsPerCall) {
      await this.#scripts.restoreOutcomes.run(this.#redis, keys, {
        booked: booked.slice(start, start + requestsPerCall),
      });
    }
  }

  /**
   * Ends at most `limit` requests whose deadline has passed; returns how many were due. None are ended if the shard is
   * recovering or must be recovered: the epoch has changed, or the shard was opened in a different Redis.
   */
  async expire({ shard, epoch, limit }: { shard: Shard; epoch: number; limit: number }): Promise<number> {
    const { status, due } = await this.#scripts.expire.run(this.#redis, keysOfShard(shard), { limit, epoch });
    return status === 'RECOVERING' ? 0 : Number(due);
  }

  /** Undefined if this Redis has never seen the shard, or has lost it. */
  async readMeta(shard: Shard): Promise<ShardMeta | undefined> {
    const [mode, epoch, identity] = await this.#redis.hmget(keysOfShard(shard).meta, 'mode', 'epoch', 'identity');
    if (typeof mode !== 'string' || typeof epoch !== 'string') return undefined;
    const known = mode === 'open' || mode === 'filling' ? mode : 'recovering';
    return { mode: known, epoch: Number(epoch), identity: identity ?? '' };
  }

  /**
   * From the mode that it is in to the next one. False if it is in another one by now, as after a loss of everything: then what was
   * published for the next mode is lost, too.
   */
  async moveShard(shard: Shard, { mode: from, epoch }: ShardMeta, to: ShardMode): Promise<boolean> {
    const reply = await this.#scripts.moveShard.run(this.#redis, keysOfShard(shard), { from, to, epoch });
    return reply.status === 'OK';
  }

  async writeMeta(shard: Shard, state: ShardMeta): Promise<void> {
    const { mode, epoch, identity } = state;
    await this.#redis.hset(keysOfShard(shard).meta, { mode, epoch: String(epoch), identity });
  }
}

/** In the form that absorb.lua describes. */
function packOrphan({ accountId, keyId, requestId, rank, differenceNano }: DecidedOrphan) {
  return {
    account: String(accountId),
    key: String(keyId),
    request: requestId,
    rank: String(rank),
    difference: String(differenceNano),
  };
}

/** In the form that assignment.lua describes. */
function encodeAssignment({ id, projectId, userId }: Assignment = noAssignment): string {
  const text = `${id ?? ''}:${projectId ?? ''}:${userId ?? ''}`;
  return text === '::' ? '' : text;
}

/** In the form that check_key in key.lua reads. Versions that do not know a word treat the key as deactivated. */
function stateOf({ active, addressProven, projectArchived = false }: PublishedKey): string {
  if (!active) return '0';
  if (!addressProven) return 'unproven';
  return projectArchived ? 'archived' : '1';
}
