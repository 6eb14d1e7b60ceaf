/** Invariants: after every step, and at rest. */
import type { Redis } from 'ioredis';
import { parseScope, type Scope } from '../../shared/limits/budget-levels.ts';
import { spendLimits, windowNumber } from '../../shared/limits/spend-limits.ts';
import { encodeOffsets } from '../../shared/limits/zone-offsets.ts';
import { shardOfAccount } from '../../shared/wallet/shard.ts';
import { isHeld } from '../harness/wallet/is-held.ts';
import { countedScopes, readSpendRecord } from '../harness/wallet/spend-records.ts';
import type { Surroundings } from './simulated/surroundings.ts';
import { type RequestOwner, type TrueRequest, tokenNano } from './simulated/true-request.ts';

interface CheckedWorld extends Surroundings {
  readonly admin: { readonly openedIn: string; readonly epoch: number };
  /** By the name of a scope: requests that were not booked yet when it got a budget. */
  readonly unjudged: ReadonlyMap<string, readonly TrueRequest[]>;
  readonly requests: readonly TrueRequest[];
  /** Proxies that were killed. */
  readonly dead: ReadonlySet<RequestOwner>;
  readonly proxies: readonly { readonly connection: { readonly cutOff: boolean } }[];
  /** Accounts whose key was deactivated by a call that has returned. */
  readonly takenAway: ReadonlySet<number>;
  countUncharged(request: TrueRequest, nano: bigint): void;
}

/** The present window of a budget, and what was spent in it when it got its amount. */
interface BudgetWindow {
  readonly amountNano: bigint;
  readonly window: string;
  readonly spentBeforeNano: bigint;
}

export class Checks {
  readonly violations: string[] = [];
  /** The lowest `available` ever seen, before and after Redis lost writes. */
  lowestNano = 0n;
  lowestAfterLossNano = 0n;
  readonly #world: CheckedWorld;
  readonly #redis: Redis;
  /** By scope and period. */
  readonly #windows = new Map<string, BudgetWindow>();

  constructor(world: CheckedWorld, redis: Redis) {
    this.#world = world;
    this.#redis = redis;
  }

  /** Invariant 3, and no overdraft: after every script. */
  async afterStep(step: string): Promise<void> {
    await Promise.all(this.#world.ledger.accountIds.map((accountId) => this.#accountAfterStep(accountId, step)));
  }

  async #accountAfterStep(accountId: number, step: string): Promise<void> {
    const wallet = await this.#readWallet(accountId);
    if (wallet === undefined) return;
    const { available, held, spent, credited } = wallet;
    if (available + held + spent !== credited) this.#violate(`${step}: account ${accountId} does not add up`);
    if (held < 0n) this.#violate(`${step}: account ${accountId} holds ${held}`);
    if (this.#world.redisLostWrites && available < this.lowestAfterLossNano) this.lowestAfterLossNano = available;
    if (!this.#world.redisLostWrites && available < this.lowestNano) this.lowestNano = available;
    if (available < 0n && !this.#world.redisLostWrites) this.#violate(`${step}: account ${accountId} has ${available}`);
    if (this.#world.profile.hasBudgets === true) await this.#budgetsAfterStep(accountId, step);
  }

  /** No charge takes a budget past its amount; a lower amount may be less than what was spent by then. */
  async #budgetsAfterStep(accountId: number, step: string): Promise<void> {
    const { keys, redisLostWrites } = this.#world;
    const budgets = new Map(
      keys
        .of(accountId)
        .flatMap((key) => keys.budgetsOf(key))
        .map((budget) => [`${budget[0]} ${budget[1]}`, budget] as const),
    );
    const scopes = [...new Set([...budgets.values()].map(([scope]) => scope))];
    const records = new Map(
      await Promise.all(scopes.map(async (scope) => [scope, await this.#readSpend(accountId, scope)] as const)),
    );
    for (const [name, [scope, period, amountNano]] of budgets) {
      const record = records.get(scope);
      const limit = spendLimits.find((each) => each.name === period);
      if (record === undefined || limit === undefined) continue;
      const window = `${record[limit.name]} in ${record.zone}`;
      const spentNano = BigInt(record[limit.counted] ?? '0');
      const before = this.#windows.get(name);
      const isSame = before?.amountNano === amountNano && before.window === window;
      if (!isSame) this.#windows.set(name, { amountNano, window, spentBeforeNano: spentNano });
      if (!isSame || redisLostWrites) continue;
      const mostNano = before.spentBeforeNano > amountNano ? before.spentBeforeNano : amountNano;
      const judgedNano = spentNano - this.#unjudgedNano(scope);
      if (judgedNano > mostNano) this.#violate(`${step}: ${scope} has spent ${judgedNano} of ${mostNano} a ${period}`);
    }
  }

  /** No request begins in a Redis that may have lost charges. */
  async reserved(request: TrueRequest): Promise<void> {
    const { admin, redis } = this.#world;
    if (admin.openedIn !== redis.identity)
      this.#violate(`request ${request.requestId} began before ${redis.identity} was compared`);
    this.#began(request);
    await this.#withinBudgets(request);
  }

  /** When a request begins, what was spent and what is held, this request included, is within every budget. */
  async #withinBudgets(request: TrueRequest): Promise<void> {
    const { keys, profile, nowMs, redisLostWrites } = this.#world;
    if (profile.hasBudgets !== true || redisLostWrites) return;
    const key = keys.get(request.keyId);
    for (const [scope, period, amountNano] of keys.budgetsOf(key)) {
      const record = await this.#readSpend(request.accountId, scope);
      const limit = spendLimits.find(({ name }) => name === period);
      if (record === undefined || limit === undefined) {
        this.#violate(`request ${request.requestId} began although ${scope} is not counted`);
        continue;
      }
      const zone = keys.zoneOf(request.accountId, nowMs);
      const isCurrent =
        limit.window === undefined || Number(record[limit.name]) === windowNumber(limit, new Date(nowMs), zone);
      const spent = isCurrent ? BigInt(record[limit.counted] ?? '0') : 0n;
      const taken = spent + BigInt(record.held ?? '0') - this.#unjudgedNano(scope);
      if (taken > amountNano)
        this.#violate(`request ${request.requestId}: ${scope} has ${taken} of ${amountNano} a ${period}`);
    }
  }

  /** What those have cost that began before the scope had a budget, which no budget has judged. */
  #unjudgedNano(scope: string): bigint {
    return (this.#world.unjudged.get(scope) ?? []).reduce(
      (sum, { deliveredTokens }) => sum + BigInt(deliveredTokens) * tokenNano,
      0n,
    );
  }

  /** What is counted of a scope is what the ledger has of it, and nothing is held. */
  async #scopesAtRest(accountId: number): Promise<void> {
    const { keys, ledger, nowMs } = this.#world;
    const now = new Date(nowMs);
    const zone = keys.zoneOf(accountId, nowMs);
    for (const name of await countedScopes(this.#redis, accountId)) {
      const scope = parseScope(accountId, name);
      const record = await this.#readSpend(accountId, name);
      const isOwn = scope !== undefined && this.#isOf(scope, accountId);
      if (!isOwn || record?.zone !== encodeOffsets(zone)) continue;
      const spent = ledger.spentIn(scope, now, zone);
      if (record.held !== '0') this.#violate(`${name} holds ${record.held} at rest`);
      for (const limit of spendLimits) {
        const isCurrent = limit.window === undefined || Number(record[limit.name]) === windowNumber(limit, now, zone);
        const counted = isCurrent ? BigInt(record[limit.counted] ?? '0') : 0n;
        if (counted !== spent[limit.name])
          this.#violate(`${name}: ${counted} a ${limit.name} are counted, the ledger has ${spent[limit.name]}`);
      }
    }
  }

  #isOf({ level, id }: Scope, accountId: number): boolean {
    const { keys } = this.#world;
    if (level === 'organization') return id === accountId;
    if (level === 'key') return keys.of(accountId).some(({ name }) => name.keyId === id);
    const own = new Set(keys.of(accountId).map(({ name }) => name.keyId));
    return [...keys.assignments.values()].some(
      (place) => own.has(place.keyId) && (level === 'project' ? place.projectId : place.userId) === id,
    );
  }

  async #readSpend(accountId: number, scope: string): Promise<Record<string, string> | undefined> {
    const record = await readSpendRecord(this.#redis, accountId, scope);
    return record.epoch === String(this.#world.admin.epoch) ? record : undefined;
  }

  /** No request begins with a key once the call that has taken it away has returned. */
  #began({ requestId, accountId }: TrueRequest): void {
    if (this.#world.takenAway.has(accountId))
      this.#violate(`request ${requestId} began with a key that was taken away`);
  }

  /** What a request may cost is covered by a lease from its first moment. A Redis that has lost writes may have lost the lease. */
  async leased(request: TrueRequest, leaseId: string): Promise<void> {
    this.#began(request);
    await this.#withinBudgets(request);
    if (this.#world.redisLostWrites) return;
    if (!(await isHeld(this.#redis, { ...request, requestId: leaseId })))
      this.#violate(`request ${request.requestId} began from the lease ${leaseId}, which holds nothing`);
  }

  /** A lease that is given up in a Redis that has lost nothing leaves its running requests what they have of it. */
  async keptHold(request: TrueRequest): Promise<void> {
    if (this.#world.redisLostWrites || (await isHeld(this.#redis, request))) return;
    this.#violate(`request ${request.requestId} holds nothing after its lease was given up`);
  }

  /** Every lease of the account has been returned, so nothing of it may be the reason of a refusal. */
  refusedDespiteRecall({ requestId }: TrueRequest): void {
    const { dead, proxies, redisLostWrites } = this.#world;
    if (dead.size > 0 || redisLostWrites || proxies.some(({ connection }) => connection.cutOff)) return;
    this.#violate(`request ${requestId} was refused for what leases have that were recalled`);
  }

  /** A renewal that got through leaves a hold behind it. */
  async renewed(request: TrueRequest): Promise<void> {
    request.renewedTokens = request.deliveredTokens;
    if (!(await isHeld(this.#redis, request)))
      this.#violate(`request ${request.requestId} was renewed and holds nothing`);
  }

  /**
   * No request is running and nothing is on its way, but abandoned holds have not expired yet. A Redis that has lost
   * writes may have lost a release; the hold that remains then expires without a charge.
   */
  async beforeExpiry(): Promise<void> {
    if (this.#world.redisLostWrites) return;
    for (const request of this.#world.requests) {
      if (request.state !== 'released' || !request.proxy.connection || this.#world.dead.has(request.proxy)) continue;
      if (await isHeld(this.#redis, request))
        this.#violate(`request ${request.requestId} was released and still holds`);
    }
  }

  /** Invariants 1, 2, 5, 7 and 8. */
  async atRest(): Promise<void> {
    for (const accountId of this.#world.ledger.accountIds) await this.#accountAtRest(accountId);
    for (const request of this.#world.requests) this.#requestAtRest(request);
  }

  async #accountAtRest(accountId: number): Promise<void> {
    const { creditedNano, spentNano } = this.#world.ledger.account(accountId);
    const charged = this.#world.requests
      .filter((request) => request.accountId === accountId)
      .reduce((sum, { requestId }) => sum + (this.#world.ledger.heads.get(requestId)?.chargedNano ?? 0n), 0n);
    if (charged !== spentNano)
      this.#violate(`account ${accountId}: spent ${spentNano}, its requests were charged ${charged}`);
    await this.#scopesAtRest(accountId);
    const wallet = await this.#readWallet(accountId);
    if (wallet === undefined) return;
    if (wallet.held !== 0n) this.#violate(`account ${accountId} holds ${wallet.held} at rest`);
    if (wallet.spent !== spentNano) this.#violate(`D1 of account ${accountId}: ${spentNano - wallet.spent}`);
    if (wallet.credited !== creditedNano)
      this.#violate(`D4 of account ${accountId}: ${creditedNano - wallet.credited}`);
  }

  #requestAtRest(request: TrueRequest): void {
    const { requestId, state, deliveredTokens, renewedTokens, confirmedNano } = request;
    const charged = this.#world.ledger.heads.get(requestId)?.chargedNano ?? 0n;
    const uncharged = this.#world.ledger.uncharged.get(requestId) ?? 0n;
    const truth = BigInt(deliveredTokens) * tokenNano;
    const renewed = BigInt(renewedTokens) * tokenNano;
    if (charged > truth) this.#violate(`request ${requestId} (${state}) was charged ${charged} of ${truth}`);
    if (state === 'released' || state === 'refused') {
      if (charged !== 0n) this.#violate(`request ${requestId} was ${state} and charged ${charged}`);
      if (deliveredTokens > 0) this.#violate(`request ${requestId} was ${state} and delivered ${deliveredTokens}`);
      return;
    }
    if (confirmedNano !== undefined && charged > confirmedNano)
      this.#violate(`request ${requestId} was charged ${charged}, a Redis had charged ${confirmedNano}`);
    const survived = state === 'settled' && !this.#world.dead.has(request.proxy);
    if (survived && charged + uncharged !== truth) {
      this.#violate(`request ${requestId} was charged ${charged} (and ${uncharged} not) of ${truth}`);
    }
    if (!survived && charged < renewed && !this.#world.redisLostWrites) {
      this.#violate(`request ${requestId} of a dead proxy was charged ${charged}, its renewal said ${renewed}`);
    }
    if (uncharged > 0n) this.#world.countUncharged(request, uncharged);
  }

  /** What the account has available, in tokens. */
  async affordableTokens(accountId: number): Promise<number> {
    const wallet = await this.#readWallet(accountId);
    return Number((wallet?.available ?? 0n) / tokenNano);
  }

  async #readWallet(accountId: number) {
    const key = `{s${shardOfAccount(accountId)}}:wallet:${accountId}`;
    const values = await this.#redis.hmget(key, 'available', 'held', 'spent', 'credited');
    if (values[0] === null) return undefined;
    const [available = 0n, held = 0n, spent = 0n, credited = 0n] = values.map((value) => BigInt(value ?? '0'));
    return { available, held, spent, credited };
  }

  #violate(what: string): void {
    this.violations.push(what);
  }
}
