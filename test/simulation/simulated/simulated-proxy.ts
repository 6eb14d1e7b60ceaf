/** A proxy with the real replay buffer and the real running requests, driven step by step with the virtual clock. */
import { noUsage } from '../../../proxy/nouns/usage.ts';
import type { Model } from '../../../proxy/pricing/catalogue.ts';
import type { Lease } from '../../../proxy/request/leases/lease.ts';
import { LeaseBook } from '../../../proxy/request/leases/lease-book.ts';
import { RequestMetrics } from '../../../proxy/request/metrics/request-metrics.ts';
import { Timeline } from '../../../proxy/request/metrics/timeline.ts';
import type { Settle } from '../../../proxy/request/settlement/decision.ts';
import { ReplayBuffer } from '../../../proxy/request/settlement/replay-buffer.ts';
import { RunningRequests } from '../../../proxy/request/settlement/running-requests.ts';
import { createLog } from '../../../shared/log.ts';
import { nanoUsd } from '../../../shared/money.ts';
import { encodeChargeDetail } from '../../../shared/usage/charge-detail.ts';
import type { Reservation, ReserveRefusal } from '../../../shared/wallet/reserve-reply.ts';
import { allShards, shardOfAccount } from '../../../shared/wallet/shard.ts';
import {
  type FinalCharge,
  type HeldRequest,
  type ReleasedRequest,
  type ReserveRequest,
  type Settled,
  Wallet,
  type WalletRedis,
} from '../../../shared/wallet/wallet.ts';
import type { WalletScripts } from '../../../shared/wallet/wallet-scripts.ts';
import { pricesAt } from '../../harness/prices.ts';
import { detailOf } from '../../harness/wallet/charge-detail.ts';
import { noRateLimits } from '../../harness/wallet/wallet-bench.ts';
import { type KeyName, keyNamed } from './simulated-keys.ts';
import type { FaultyConnection } from './simulated-redis.ts';
import type { Surroundings } from './surroundings.ts';
import { type TrueRequest, tokenNano } from './true-request.ts';

const everyShard = new Set(allShards);

const log = createLog({ program: 'simulation', level: 'silent' });
/** How many of those that ignore their cap are not streamed, and by how many tokens. */
const wholeShare = 0.4;
const beyondCapMax = 60;

const model: Model = {
  id: 'simulated',
  kind: 'chat',
  ownedBy: 'simulation',
  createdAt: 0,
  contextTokens: 1_000_000,
  maxOutputTokens: 1_000_000,
  prices: pricesAt({ prompt: 0n, completion: tokenNano * 1_000n }),
  deployments: [],
};

interface ProxySurroundings extends Surroundings {
  /** For all proxies. */
  readonly requests: TrueRequest[];
  readonly proxies: readonly SimulatedProxy[];
  readonly checks: {
    reserved(request: TrueRequest): Promise<void>;
    renewed(request: TrueRequest): Promise<void>;
    leased(request: TrueRequest, leaseId: string): Promise<void>;
    keptHold(request: TrueRequest): Promise<void>;
    refusedDespiteRecall(request: TrueRequest): void;
  };
}

export class SimulatedProxy {
  readonly buffer: ReplayBuffer;
  readonly requests = new Set<TrueRequest>();
  /** From which running requests began. */
  readonly #leaseOf = new Map<TrueRequest, Lease>();
  readonly wallet: WatchedWallet;
  readonly connection: FaultyConnection;
  readonly leases: LeaseBook;
  readonly #world: ProxySurroundings;
  readonly #requests: RunningRequests;
  #identity: string;
  #lostDraws = 0;

  constructor(world: ProxySurroundings, connection: FaultyConnection, scripts: WalletScripts) {
    this.#world = world;
    this.connection = connection;
    this.wallet = new WatchedWallet(connection, scripts, world.requests);
    const metrics = new RequestMetrics();
    this.buffer = new ReplayBuffer({
      ...{ wallet: this.wallet, log, metrics },
      isUnchanged: async () => world.redis.identity === this.#identity,
    });
    this.#requests = new RunningRequests({ wallet: this.wallet, replayBuffer: this.buffer, log, metrics });
    this.#identity = world.redis.identity;
    this.leases = new LeaseBook(
      {
        draw: (request) => this.wallet.draw(request),
        charge: (charges) => this.wallet.chargeLease(charges),
        drawn: (charges, streamId) => {
          this.wallet.mayHaveCharged(charges);
          this.buffer.drawn(charges, streamId);
        },
        undrawn: (charges) => {
          this.wallet.mayHaveCharged(charges);
          this.buffer.resendLater(charges);
        },
        newId: () => world.nextRequestId(),
        // Steps flush.
        onDue: () => {},
        onError: () => {
          this.#lostDraws += 1;
        },
      },
      () => (world.mutant === 'a lease that is used beyond its span' ? 0 : world.elapsedMs),
    );
    this.leases.allow(world.profile.hasLeases === true);
  }

  get identity(): string {
    return this.#identity;
  }

  async begin(accountId: number, capTokens: number): Promise<TrueRequest> {
    const request = this.newRequest(accountId, capTokens);
    const key = keyOf(this.#world.keys.get(request.keyId).name);
    // The connection to the previous Redis was lost, and the server at a new one is asked for its identity.
    await this.look();
    const lease = this.#findLease(request);
    if (lease !== undefined) {
      this.start(request, { ...lease.key, epoch: lease.epoch }, lease);
      request.state = 'running';
      await this.#world.checks.leased(request, lease.id);
      return request;
    }
    try {
      const result = await this.#reserve(request);
      if (!result.ok) return request;
      this.leases.learn({ ...key, assignment: result.assignment });
      await this.#world.checks.reserved(request);
      this.start(request, result);
      request.state = 'running';
    } catch {
      await this.releaseUnknown(request);
    }
    return request;
  }

  #findLease({ keyId, capTokens }: TrueRequest): Lease | undefined {
    const request = { heldNano: nanoUsd(BigInt(capTokens) * tokenNano), tokens: 0, models: [model.id] };
    return this.leases.find(this.#world.keys.get(keyId).name.hash, request, this.#identity);
  }

  /** What it would be refused for may be what leases have: they are recalled, and it is judged again. */
  async #reserve(request: TrueRequest): Promise<Reservation | ReserveRefusal> {
    const input = this.reserveRequestOf(request);
    const result = await this.#reserveFromAnywhere(input);
    if (result.ok || result.leasesOf === undefined) return result;
    const isObeyed = await this.#recallEverywhere(request.accountId);
    const again = await this.#reserveFromAnywhere({ ...input, isRecalled: true });
    if (isObeyed && !again.ok && again.leasesOf !== undefined) this.#world.checks.refusedDespiteRecall(request);
    return again;
  }

  /** No key has a list of addresses. */
  async #reserveFromAnywhere(request: ReserveRequest): Promise<Reservation | ReserveRefusal> {
    const result = await this.wallet.reserve(request);
    if (!result.ok && result.reason === 'other_rules') throw new Error('a key without a list of addresses has one');
    return result;
  }

  /** Returns whether every proxy has returned its leases. */
  async #recallEverywhere(accountId: number): Promise<boolean> {
    const { proxies, mutant } = this.#world;
    await this.wallet.recall(shardOfAccount(accountId), accountId);
    let isObeyed = true;
    for (const proxy of proxies) {
      if (proxy !== this && mutant === 'a recall that is not awaited') continue;
      isObeyed = (await proxy.obey(accountId)) && isObeyed;
    }
    return isObeyed;
  }

  /** A recall arrives, or is lost. Returns whether nothing is left in Redis from which this proxy might begin requests. */
  async obey(accountId: number): Promise<boolean> {
    if (this.connection.cutOff || !this.connection.delivers()) return false;
    const before = this.#lostDraws;
    await this.leases.recall(accountId);
    return this.#lostDraws === before;
  }

  newRequest(accountId: number, capTokens: number): TrueRequest {
    const { keys, profile, random } = this.#world;
    const { keyId } = keyNamed(
      accountId,
      profile.hasBudgets === true ? random.integer(0, keys.of(accountId).length - 1) : 0,
    );
    return {
      requestId: this.#world.nextRequestId(),
      accountId,
      keyId,
      proxy: this,
      capTokens,
      overruns: this.#world.random.chance(this.#world.profile.overrunShare),
      deliveredTokens: 0,
      renewedTokens: 0,
      confirmedNano: undefined,
      settlesAstray: 0,
      state: 'refused',
      running: undefined,
    };
  }

  reserveRequestOf({ requestId, keyId, capTokens }: TrueRequest): ReserveRequest {
    return {
      ...keyOf(this.#world.keys.get(keyId).name),
      requestId,
      models: [model.id],
      amountNano: nanoUsd(BigInt(capTokens) * tokenNano),
      promptPartNano: nanoUsd(0n),
      outputPrice: model.prices.completion,
      outputCap: capTokens,
      lowestCap: 0,
      identity: this.#identity,
      rateTokens: 0,
      once: undefined,
      detail: detailText,
    };
  }

  /** From now on the request runs here, with this hold. */
  start(
    request: TrueRequest,
    { keyId, assignment, epoch }: Pick<HeldRequest, 'keyId' | 'assignment' | 'epoch'>,
    lease?: Lease,
  ): void {
    const { requestId, accountId, capTokens } = request;
    request.running = this.#requests.start({
      held: {
        ...{ requestId, shard: shardOfAccount(accountId), accountId, keyId, assignment, epoch },
        keyHash: this.#world.keys.get(keyId).name.hash,
      },
      model,
      amountNano: nanoUsd(BigInt(capTokens) * tokenNano),
      outputCap: capTokens,
      choices: 1,
      promptTokensMax: 0,
      startedAtMs: this.#world.nowMs,
      dimensions: null,
      timeline: new Timeline(this.#world.elapsedMs),
      heldAtMs: this.#world.elapsedMs,
      leased: lease && { lease, tokens: 0 },
    });
    request.running.deliveredTokens = () => request.deliveredTokens;
    this.requests.add(request);
    if (lease !== undefined) this.#leaseOf.set(request, lease);
  }

  /** It is unknown whether the money is held: as the proxy does, return 503 and release. */
  async releaseUnknown(request: TrueRequest): Promise<void> {
    const { requestId, accountId } = request;
    await this.buffer.submit({ kind: 'release', held: { requestId, shard: shardOfAccount(accountId) } });
    request.state = 'released';
  }

  /** The provider sends more; if the hold cannot be raised to cover it, it is not delivered and the response ends. */
  async deliver(request: TrueRequest, tokens: number): Promise<void> {
    const wanted = request.deliveredTokens + tokens;
    const possible = request.overruns ? wanted : Math.min(wanted, request.capTokens);
    if (this.#world.mutant === 'progress with the undelivered chunk' && request.running) {
      request.running.deliveredTokens = () => possible;
    }
    const covered = await Promise.resolve(request.running?.covers(possible)).catch(() => false);
    if (covered) request.deliveredTokens = possible;
    else await this.settle(request);
  }

  async settle(request: TrueRequest): Promise<void> {
    this.#ignoreCap(request);
    const { deliveredTokens } = request;
    this.#end(request, 'settled');
    const usage = {
      ...noUsage,
      completionTokens: deliveredTokens,
    };
    const { running } = request;
    if (running !== undefined) await running.charge(running.bill(usage));
  }

  /** A whole response is delivered however long it is. */
  #ignoreCap(request: TrueRequest): void {
    const { profile, random } = this.#world;
    if (profile.hasBudgets !== true || !request.overruns || !random.chance(wholeShare)) return;
    request.deliveredTokens = Math.max(request.deliveredTokens, request.capTokens + random.integer(1, beyondCapMax));
  }

  /** The provider has failed before any output. */
  async release(request: TrueRequest): Promise<void> {
    this.#end(request, 'released');
    await request.running?.release();
  }

  /** What the timers do. */
  async tick(): Promise<void> {
    for (const request of [...this.requests]) await this.renew(request);
    await this.leases.tick();
    await this.look();
    await this.buffer.resend();
    await this.buffer.confirm(this.#world.elapsedMs).catch(() => undefined);
  }

  /** What happens a few milliseconds after a request has ended. */
  async flush(): Promise<void> {
    await this.leases.flush();
  }

  /** Returns what no request uses of the account's leases. */
  recall(accountId: number): Promise<void> {
    return this.leases.recall(accountId);
  }

  /** If it is due. */
  async renew(request: TrueRequest): Promise<void> {
    const { running } = request;
    if (running === undefined) return;
    const before = running.renewals;
    await running.check(this.#world.elapsedMs).catch(() => undefined);
    if (running.renewals > before) await this.#world.checks.renewed(request);
    if (running.abort.reason !== undefined) await this.settle(request);
  }

  /** Detects that another Redis has taken over. */
  async look(): Promise<void> {
    const { identity } = this.#world.redis;
    if (this.connection.cutOff || identity === this.#identity) return;
    this.#identity = identity;
    const covered = [...this.#leaseOf].filter(([{ running }, lease]) => running?.renewals === 0 && lease.covers());
    await this.leases.giveUp(everyShard);
    for (const [request, { phase }] of covered) if (phase === 'over') await this.#world.checks.keptHold(request);
    await this.buffer.replay(everyShard);
    for (const request of this.requests) {
      await request.running?.renewNow(this.#world.elapsedMs).catch(() => undefined);
    }
  }

  /** SIGKILL: everything in memory is lost. */
  die(): void {
    for (const request of [...this.requests]) this.#end(request, 'abandoned');
  }

  #end(request: TrueRequest, state: TrueRequest['state']): void {
    request.state = state;
    this.requests.delete(request);
    this.#leaseOf.delete(request);
  }
}

/** Records what Redis reports as charged. */
class WatchedWallet extends Wallet {
  readonly #requests: readonly TrueRequest[];

  constructor(redis: WalletRedis, scripts: WalletScripts, requests: readonly TrueRequest[]) {
    super(redis, scripts);
    this.#requests = requests;
  }

  /** A draw does not say how much of them it has charged. */
  mayHaveCharged(charges: readonly Settle[]): void {
    for (const { held } of charges) {
      const request = this.#find(held.requestId);
      if (request !== undefined) request.settlesAstray += 1;
    }
  }

  #find(id: string): TrueRequest | undefined {
    return this.#requests.find(({ requestId }) => requestId === id);
  }

  /** Immediately: a run must not depend on real time. */
  override release(held: ReleasedRequest): Promise<void> {
    return super.release(held);
  }

  override async settle(held: HeldRequest, charge: FinalCharge): Promise<Settled> {
    const request = this.#find(held.requestId);
    try {
      const settled = await super.settle(held, charge);
      if (request?.settlesAstray === 0) request.confirmedNano ??= settled.chargedNano;
      return settled;
    } catch (error) {
      if (request !== undefined) request.settlesAstray += 1;
      throw error;
    }
  }
}

function keyOf({ accountId, keyId, hash }: KeyName) {
  return { shard: shardOfAccount(accountId), keyHash: hash, accountId, keyId, rateDefaults: noRateLimits };
}

const detailText = encodeChargeDetail(detailOf({ model: model.id, estimated: true }));
