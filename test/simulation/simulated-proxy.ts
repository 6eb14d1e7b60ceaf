/** A proxy with the real replay buffer and the real running requests, driven step by step with the virtual clock. */

import type { Model } from '../../proxy/catalogue/catalogue.ts';
import { ReplayBuffer } from '../../proxy/settlement/replay-buffer.ts';
import type { RunningRequest } from '../../proxy/settlement/running-request.ts';
import { RunningRequests } from '../../proxy/settlement/running-requests.ts';
import { createLog } from '../../shared/log.ts';
import { nanoUsd, picoUsdPerToken } from '../../shared/money.ts';
import { shardOfAccount } from '../../shared/shard.ts';
import { encodeChargeDetail } from '../../shared/usage/charge-detail.ts';
import {
  type FinalCharge,
  type HeldRequest,
  type Settled,
  Wallet,
  type WalletRedis,
} from '../../shared/wallet/wallet.ts';
import type { WalletScripts } from '../../shared/wallet/wallet-scripts.ts';
import { detailOf } from '../harness/wallet/charge-detail.ts';
import type { FaultyConnection } from './simulated-redis.ts';
import type { Surroundings } from './surroundings.ts';

export const tokenNano = 10n;
const log = createLog({ program: 'simulation', level: 'silent' });

const model: Model = {
  id: 'simulated',
  kind: 'chat',
  ownedBy: 'simulation',
  createdAt: 0,
  contextTokens: 1_000_000,
  maxOutputTokens: 1_000_000,
  prices: {
    version: 1,
    prompt: picoUsdPerToken(0n),
    cachedPrompt: picoUsdPerToken(0n),
    cacheWrite: picoUsdPerToken(0n),
    completion: picoUsdPerToken(tokenNano * 1_000n),
    reasoning: picoUsdPerToken(tokenNano * 1_000n),
  },
  deployments: [],
};

/** What really happened to a request; the truth that the books are compared with. */
export interface TrueRequest {
  readonly requestId: string;
  readonly accountId: number;
  readonly proxy: SimulatedProxy;
  readonly capTokens: number;
  /** The provider ignores the cap. */
  readonly overruns: boolean;
  deliveredTokens: number;
  /** What the last successful renewal has stored. */
  renewedTokens: number;
  /** What Redis has charged, if it confirmed a single call; a call that went astray may still arrive elsewhere. */
  confirmedNano: bigint | undefined;
  settlesAstray: number;
  state: 'running' | 'settled' | 'released' | 'refused' | 'abandoned';
  running: RunningRequest | undefined;
}

interface ProxySurroundings extends Surroundings {
  /** For all proxies. */
  readonly requests: TrueRequest[];
  readonly checks: { reserved(request: TrueRequest): void; renewed(request: TrueRequest): Promise<void> };
}

export class SimulatedProxy {
  readonly buffer: ReplayBuffer;
  readonly requests = new Set<TrueRequest>();
  readonly wallet: Wallet;
  readonly connection: FaultyConnection;
  readonly #world: ProxySurroundings;
  readonly #requests: RunningRequests;
  #identity: string;

  constructor(world: ProxySurroundings, connection: FaultyConnection, scripts: WalletScripts) {
    this.#world = world;
    this.connection = connection;
    this.wallet = new WatchedWallet(connection, scripts, world.requests);
    this.buffer = new ReplayBuffer({ wallet: this.wallet, log });
    this.#requests = new RunningRequests({ wallet: this.wallet, replayBuffer: this.buffer, log });
    this.#identity = world.redis.identity;
  }

  async begin(accountId: number, capTokens: number): Promise<TrueRequest> {
    const request: TrueRequest = {
      requestId: this.#world.nextRequestId(),
      accountId,
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
    // The connection to the previous Redis was lost, and a new one checks the server's identity.
    await this.look();
    const { nowMs: startedAtMs, elapsedMs: heldAtMs } = this.#world;
    const shard = shardOfAccount(accountId);
    const order = {
      requestId: request.requestId,
      shard,
      keyHash: `key-of-${accountId}`,
      model: model.id,
      amountNano: nanoUsd(BigInt(capTokens) * tokenNano),
      promptPartNano: nanoUsd(0n),
      outputPrice: model.prices.completion,
      outputCap: capTokens,
      lowestCap: 0,
      identity: this.#identity,
      rateDefaults: { requestsPerMinute: 0, tokensPerMinute: 0, concurrentStreams: 0 },
      rateTokens: 0,
      once: undefined,
      detail: detailText,
    };
    try {
      const result = await this.wallet.reserve(order);
      if (!result.ok) return request;
      this.#world.checks.reserved(request);
      request.running = this.#requests.start({
        held: { requestId: request.requestId, shard, accountId, keyId: result.keyId, epoch: result.epoch },
        model,
        amountNano: result.amountNano,
        outputCap: capTokens,
        choices: 1,
        promptTokensMax: 0,
        startedAtMs,
        heldAtMs,
      });
      request.running.deliveredTokens = () => request.deliveredTokens;
      request.state = 'running';
      this.requests.add(request);
    } catch {
      // Unknown outcome: like the proxy, answer 503 and release.
      await this.buffer.submit({ kind: 'release', held: { requestId: request.requestId, shard } });
      request.state = 'released';
    }
    return request;
  }

  /** The provider sends more; if the hold cannot be raised to cover it, it is not delivered and the answer ends. */
  async deliver(request: TrueRequest, tokens: number): Promise<void> {
    const wanted = request.deliveredTokens + tokens;
    const possible = request.overruns ? wanted : Math.min(wanted, request.capTokens);
    if (this.#world.mutant === 'progress with the undelivered piece' && request.running) {
      request.running.deliveredTokens = () => possible;
    }
    const covered = await Promise.resolve(request.running?.covers(possible)).catch(() => false);
    if (covered) request.deliveredTokens = possible;
    else await this.settle(request);
  }

  async settle(request: TrueRequest): Promise<void> {
    const { deliveredTokens } = request;
    this.#end(request, 'settled');
    const usage = {
      promptTokens: 0,
      cachedPromptTokens: 0,
      cacheWriteTokens: 0,
      completionTokens: deliveredTokens,
      reasoningTokens: 0,
    };
    await request.running?.settle(usage, deliveredTokens);
  }

  /** The provider has failed before any output. */
  async release(request: TrueRequest): Promise<void> {
    this.#end(request, 'released');
    await request.running?.release();
  }

  /** What the timers do. */
  async tick(): Promise<void> {
    for (const request of [...this.requests]) await this.renew(request);
    await this.look();
    await this.buffer.resend();
    await this.buffer.confirm(this.#world.elapsedMs).catch(() => undefined);
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

  /** Detects that another Redis answers. */
  async look(): Promise<void> {
    const { identity } = this.#world.redis;
    if (this.connection.cutOff || identity === this.#identity) return;
    this.#identity = identity;
    await this.buffer.replay();
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
  }
}

/** Records what Redis says it has charged. */
class WatchedWallet extends Wallet {
  readonly #requests: readonly TrueRequest[];

  constructor(redis: WalletRedis, scripts: WalletScripts, requests: readonly TrueRequest[]) {
    super(redis, scripts);
    this.#requests = requests;
  }

  override async settle(held: HeldRequest, charge: FinalCharge): Promise<Settled> {
    const request = this.#requests.find(({ requestId }) => requestId === held.requestId);
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

const detailText = encodeChargeDetail(detailOf({ model: model.id, estimated: true }));
