/** Admin's workers as steps, with the real rules of applying, hydrating and recovering, on the model ledger. */
import type { Redis } from 'ioredis';
import { type Charge, readUsageEntry, type WalletRequest } from '../../../admin/ledger/charges/read-usage-entry.ts';
import { hydrateFrom } from '../../../admin/ledger/hydrate-wallets.ts';
import { alignWallets } from '../../../admin/wallets/recovery/align-wallets.ts';
import { untilAsked } from '../../../admin/workers/apply-usage.ts';
import { scopeName } from '../../../shared/limits/budget-levels.ts';
import { perSpendLimit } from '../../../shared/limits/spend-limits.ts';
import { createLog } from '../../../shared/log.ts';
import { holdMs } from '../../../shared/wallet/lease.ts';
import { type Shard, shardOfAccount } from '../../../shared/wallet/shard.ts';
import { readEntries } from '../../../shared/wallet/usage-stream/usage-entry.ts';
import { WalletAuditor } from '../../../shared/wallet/wallet-auditor.ts';
import { type ShardMode, WalletKeeper } from '../../../shared/wallet/wallet-keeper.ts';
import type { WalletScripts } from '../../../shared/wallet/wallet-scripts.ts';
import type { Surroundings } from './surroundings.ts';

const log = createLog({ program: 'simulation', level: 'silent' });
const replayGraceMs = 2_500;
/** As long as keys of many accounts take. */
const fillMs = 2_000;
const batchMax = 7;

export type AdminDeath = 'before commit' | 'after commit';

export class SimulatedAdmin {
  readonly keeper: WalletKeeper;
  readonly #auditor: WalletAuditor;
  readonly #redis: Redis;
  readonly #world: Surroundings;
  readonly #shards: readonly Shard[];
  /** Set while the shards are recovering. */
  #opensAtMs: number | undefined;
  #recoveringFrom = '';
  /** Whether it had lost everything. */
  #isEmpty = false;
  /** The Redis in which some keys are missing and may not be used yet. */
  #fillsIn = '';
  #filledAtMs = 0;
  #epoch = 1;
  #openedIn = '';
  #expiryPausedUntilMs = 0;

  constructor(world: Surroundings, redis: Redis, scripts: WalletScripts) {
    this.#world = world;
    this.#redis = redis;
    this.keeper = new WalletKeeper(redis, scripts);
    this.#auditor = new WalletAuditor(redis, scripts);
    this.#shards = [...new Set(world.ledger.accountIds.map(shardOfAccount))];
  }

  async begin(): Promise<void> {
    await this.#publishKeys();
    await this.#writeMeta('open');
  }

  /** After a change of the account's keys. */
  async publishKeys(accountId: number): Promise<void> {
    const { keys, nowMs } = this.#world;
    for (const key of keys.of(accountId)) await this.keeper.publishKey(keys.published(key, nowMs));
  }

  /** Books the head of each shard's stream. After a crash the next admin starts over. */
  async apply(death?: AdminDeath): Promise<number> {
    let taken = 0;
    for (const shard of this.#shards) taken += await this.#applyShard(shard, death);
    return taken;
  }

  async #applyShard(shard: Shard, death: AdminDeath | undefined): Promise<number> {
    if (this.#world.postgresDown) return 0;
    const key = `{s${shard}}:usage`;
    const raw = await this.#redis.xrange(key, '-', '+', 'COUNT', batchMax);
    const charges: Charge[] = [];
    const missing = new Set<number>();
    const asked: WalletRequest[] = [];
    const shardEntries = { shard, entries: raw.flatMap(readEntries), streamed: raw.length, isCutOff: false };
    const { entries } = this.#world.mutant === 'later charges in the answer' ? shardEntries : untilAsked(shardEntries);
    for (const entry of entries) {
      const read = readUsageEntry(entry);
      if (read.kind === 'charge') charges.push(read);
      else if (read.kind === 'hydrate') {
        missing.add(read.accountId);
        asked.push(read);
      } else throw new Error(read.kind === 'unreadable' ? read.problem : `an unexpected ${read.kind}`);
    }
    const last = entries.at(-1)?.id;
    const remove = async () => {
      if (last !== undefined)
        await this.#redis.xtrim(key, 'MINID', `${last.split('-')[0]}-${Number(last.split('-')[1]) + 1}`);
    };
    if (this.#world.mutant === 'removal before commit') await remove();
    if (death === 'before commit') return raw.length;
    this.#world.ledger.apply(charges);
    if (death === 'after commit') return raw.length;
    const orphans = charges.filter(({ walletSeq }) => walletSeq === null);
    const failed = await this.keeper.absorb(
      shard,
      orphans.map((charge) => ({ ...charge, differenceNano: this.#world.ledger.differenceOf(charge) })),
    );
    for (const error of failed.values()) throw error;
    await this.#hydrate([...missing]);
    for (const request of asked) await this.#hydrateSpends(request);
    await remove();
    return raw.length;
  }

  async credit(accountId: number, amountNano: bigint): Promise<void> {
    if (this.#world.postgresDown) return;
    this.#world.ledger.credit(accountId, amountNano);
    await this.deliverCredits(accountId);
  }

  /** What the outbox does: sends the last credit, and before it those that the wallet has missed. */
  async deliverCredits(accountId: number): Promise<void> {
    const { ledger } = this.#world;
    const last = ledger.account(accountId).credits.length;
    const send = (creditSeq: number) =>
      this.keeper.credit({ accountId, creditSeq, amountNano: ledger.creditOf(accountId, creditSeq) });
    if (last === 0) return;
    if ((await send(last)) === 'wallet_missing') await this.#hydrate([accountId]);
    let first = last;
    while (first > 0 && (await send(first)) === 'gap') first -= 1;
    for (let creditSeq = first + 1; creditSeq <= last; creditSeq += 1) await send(creditSeq);
  }

  async expire(): Promise<void> {
    if (this.#world.elapsedMs < this.#expiryPausedUntilMs) return;
    for (const shard of this.#shards) await this.keeper.expire({ shard, epoch: this.#epoch, limit: 100 });
  }

  /** Detects another Redis, lets proxies resend what they hold, compares the wallets, and opens. */
  async recover(): Promise<void> {
    const { elapsedMs, redis, postgresDown } = this.#world;
    if (postgresDown) return;
    const metas = await Promise.all(this.#shards.map((shard) => this.keeper.readMeta(shard)));
    const closed = metas.some((meta) => meta?.mode !== 'open' || meta.identity !== redis.identity);
    if (!closed) return;
    if (this.#fillsIn === redis.identity) {
      if (elapsedMs < this.#filledAtMs) return;
      this.#fillsIn = '';
      await this.#publishKeys();
      return this.#writeMeta('open');
    }
    if (this.#opensAtMs === undefined || this.#recoveringFrom !== redis.identity) {
      this.#recoveringFrom = redis.identity;
      this.#opensAtMs = elapsedMs + replayGraceMs;
      this.#expiryPausedUntilMs = elapsedMs + holdMs;
      this.#epoch += 1;
      this.#isEmpty = metas.every((meta) => meta === undefined);
      await this.#writeMeta('recovering');
      // Some accounts are not in use.
      await this.#publishKeys((accountId) => !this.#isEmpty || accountId % 2 === 0);
      return;
    }
    if (elapsedMs < this.#opensAtMs) return;
    // The other workers book what has arrived.
    while ((await this.apply()) > 0);
    for (const shard of this.#shards) {
      await alignWallets({ ledger: this.#world.ledger, keeper: this.keeper, auditor: this.#auditor, log }, shard);
    }
    this.#opensAtMs = undefined;
    if (this.#isEmpty) {
      this.#fillsIn = redis.identity;
      this.#filledAtMs = elapsedMs + fillMs;
    }
    await this.#writeMeta(this.#isEmpty ? 'filling' : 'open');
  }

  /** The Redis whose wallets were compared with the ledger. */
  get openedIn(): string {
    return this.#openedIn;
  }

  get epoch(): number {
    return this.#epoch;
  }

  async #hydrate(accountIds: readonly number[]): Promise<void> {
    await hydrateFrom((orphans) => this.#world.ledger.readSnapshot(orphans), this.keeper, accountIds);
  }

  async #publishKeys(areWanted: (accountId: number) => boolean = () => true): Promise<void> {
    for (const accountId of this.#world.ledger.accountIds.filter(areWanted)) await this.publishKeys(accountId);
  }

  async #hydrateSpends({ accountId, scopes, asked: { id, at } }: WalletRequest): Promise<void> {
    const { keys, ledger, mutant } = this.#world;
    const zone = keys.zoneOf(accountId, at.getTime());
    for (const scope of scopes) {
      const spentNano =
        mutant === 'hydration without what was spent' ? perSpendLimit(() => 0n) : ledger.spentIn(scope, at, zone);
      await this.keeper.hydrateSpend({ accountId, scope: scopeName(scope), asked: id, at, zone, spentNano });
    }
  }

  async #writeMeta(mode: ShardMode): Promise<void> {
    const { identity } = this.#world.redis;
    for (const shard of this.#shards) await this.keeper.writeMeta(shard, { mode, epoch: this.#epoch, identity });
    if (mode !== 'recovering') this.#openedIn = identity;
  }
}
