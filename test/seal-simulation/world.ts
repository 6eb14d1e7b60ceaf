/**
 * The world of one run: a real ledger whose months pass by a virtual clock, a real Redis in which charges wait, and what the
 * ledger has to have in the end.
 */
import { applyCharges } from '../../admin/ledger/charges/apply-charges.ts';
import type { Charge } from '../../admin/ledger/charges/read-usage-entry.ts';
import type { RedisClient } from '../../shared/redis/connect.ts';
import { allShards, type Shard } from '../../shared/wallet/shard.ts';
import { keysOfShard } from '../../shared/wallet/wallet-keys.ts';
import { chargeOf, type TestLedger } from '../admin/ledger/ledger.ts';
import { payPast } from '../admin/ledger/past-charges.ts';
import type { SeededRandom } from '../harness/seeded-random.ts';
import { detailOf } from '../harness/wallet/charge-detail.ts';
import type { Mutant } from './mutants.ts';

/** A request, as its provider and its customer know it. */
export interface TrueRequest {
  readonly requestId: string;
  readonly accountId: number;
  costNano: bigint;
}

interface Estimate {
  readonly charge: Charge;
  readonly atMs: number;
}

export interface WorldOptions {
  readonly ledger: TestLedger;
  readonly redis: RedisClient;
  readonly random: SeededRandom;
  readonly accountIds: readonly number[];
  readonly priceVersion: number;
  readonly mutant: Mutant | undefined;
}

export const firstMs = Date.parse('2026-01-10T00:00:00Z');
/** The partitions of the ledger end here. */
export const lastMs = Date.parse('2026-06-25T00:00:00Z');
const hourMs = 3_600_000;
/** All charges wait in one. */
const [shard] = allShards as readonly [Shard];
const { usage: queueKey } = keysOfShard(shard);
/** A hold of a killed proxy is charged by then at the latest. */
const finalWithinMs = 26 * hourMs;

export class World {
  readonly ledger: TestLedger;
  readonly redis: RedisClient;
  readonly random: SeededRandom;
  readonly mutant: Mutant | undefined;
  readonly requests = new Map<string, TrueRequest>();
  /** By account, in nano-dollars. */
  readonly credited = new Map<number, bigint>();
  readonly violations: string[] = [];
  nowMs = firstMs;
  /** Admin books nothing. */
  isBookingPaused = false;
  /** What an account has that no journal explains. */
  wrongNano = 0n;
  readonly #accountIds: readonly number[];
  readonly #priceVersion: number;
  /** What Redis has of the wallets. */
  readonly #wallets = new Map<number, { seq: number; spentNano: bigint }>();
  readonly #estimates: Estimate[] = [];
  /** Charges that are not booked, by the ids of their entries. */
  readonly #queue: { readonly id: string; readonly charge: Charge }[] = [];
  #entries = 0;

  constructor(options: WorldOptions) {
    this.ledger = options.ledger;
    this.redis = options.redis;
    this.random = options.random;
    this.mutant = options.mutant;
    this.#accountIds = options.accountIds;
    this.#priceVersion = options.priceVersion;
  }

  get now(): Date {
    return new Date(this.nowMs);
  }

  /** Time passes; estimates do not outlive it. */
  async advance(ms: number): Promise<void> {
    const untilMs = Math.min(lastMs, this.nowMs + ms);
    for (;;) {
      const due = this.#estimates.find(({ atMs }) => atMs + finalWithinMs <= untilMs);
      if (due === undefined) break;
      this.nowMs = Math.max(this.nowMs, due.atMs + this.random.integer(0, finalWithinMs));
      await this.#correct(due);
    }
    this.nowMs = Math.max(this.nowMs, untilMs);
  }

  /** A request of a moment ago is charged, some of them by an estimate first. */
  async charge(): Promise<void> {
    const { random } = this;
    const accountId = random.pick(this.#accountIds);
    const chargedAt = this.now;
    const charge = chargeOf(accountId, {
      // By its proxy's clock, which is not Redis'.
      requestId: Bun.randomUUIDv7('hex', new Date(this.nowMs - random.pick([0, 5, 40_000, -50]))),
      ...{ chargedAt, keyId: random.integer(1, 2), costNano: BigInt(random.integer(0, 900)) },
      detail: detailOf({
        ...{ priceVersion: this.#priceVersion, startedAtMs: this.nowMs, model: random.pick(['m', 'other']) },
        dimensions: random.chance(0.5) ? { user: `user ${random.integer(0, 3)}` } : null,
      }),
    });
    const { requestId, costNano } = charge;
    this.requests.set(requestId, { requestId, accountId, costNano });
    const isEstimate = random.chance(0.25);
    if (isEstimate) this.#estimates.push({ charge, atMs: this.nowMs });
    await this.#enqueue({ ...charge, rank: isEstimate ? 1 : 2 });
  }

  /** The final charge of an estimated request. */
  async correctSome(): Promise<void> {
    const estimate = this.random.pickIfAny(this.#estimates);
    if (estimate !== undefined) await this.#correct(estimate);
  }

  async correctAll(): Promise<void> {
    while (this.#estimates[0] !== undefined) await this.#correct(this.#estimates[0]);
  }

  async #correct(estimate: Estimate): Promise<void> {
    this.#estimates.splice(this.#estimates.indexOf(estimate), 1);
    const costNano = BigInt(this.random.integer(0, 900));
    const request = this.requests.get(estimate.charge.requestId);
    if (request !== undefined) request.costNano = costNano;
    await this.#enqueue({ ...estimate.charge, rank: 2, chargedAt: this.now, costNano });
  }

  async #enqueue(charge: Charge): Promise<void> {
    const before = this.#wallets.get(charge.accountId) ?? { seq: 0, spentNano: 0n };
    const wallet = { seq: before.seq + 1, spentNano: before.spentNano + charge.costNano };
    this.#wallets.set(charge.accountId, wallet);
    this.#entries += 1;
    const id = `${this.nowMs}-${this.#entries}`;
    await this.redis.xadd(queueKey, id, 'request', charge.requestId);
    this.#queue.push({ id, charge: { ...charge, walletSeq: wallet.seq, walletSpentNano: wallet.spentNano } });
  }

  /** Books what has waited for longest; an admin that is killed after its commit leaves the entries for the next one. */
  async book(most: number, diesAfterCommit = false): Promise<number> {
    if (this.isBookingPaused) return 0;
    const batch = this.#queue.slice(0, most);
    if (batch.length === 0) return 0;
    const { unknown } = await applyCharges(
      this.ledger.sql,
      batch.map(({ charge }) => charge),
    );
    for (const { requestId } of unknown) this.violate(`the charge of ${requestId}, which came in time, was refused`);
    if (diesAfterCommit) return batch.length;
    this.#queue.splice(0, batch.length);
    await this.redis.xdel(queueKey, ...batch.map(({ id }) => id));
    return batch.length;
  }

  /** From a proxy that nobody has missed since its month was sealed. */
  async chargeTooLate(fromMs: number, untilMs: number): Promise<void> {
    const at = new Date(this.random.integer(fromMs, untilMs - 1));
    const late = chargeOf(this.random.pick(this.#accountIds), {
      ...{ requestId: Bun.randomUUIDv7('hex', at), chargedAt: this.now, walletSeq: null, walletSpentNano: null },
    });
    const { applied } = await applyCharges(this.ledger.sql, [late]);
    if (applied !== 0) this.violate(`${late.requestId}, of a sealed month, was booked`);
  }

  async pay(): Promise<void> {
    const accountId = this.random.pick(this.#accountIds);
    const amountNano = BigInt(this.random.integer(1, 5_000));
    await payPast(this.ledger, { accountId, amountNano, at: this.now });
    this.credited.set(accountId, (this.credited.get(accountId) ?? 0n) + amountNano);
  }

  /** Somebody gives an account so much that no journal explains. */
  async setWrong(nano: bigint): Promise<void> {
    const more = String(nano - this.wrongNano);
    await this.ledger.sql`
      UPDATE accounts SET balance_nano = balance_nano + ${more}::bigint, credited_nano = credited_nano + ${more}::bigint
      WHERE id = ${this.#accountIds[0] ?? 0}`;
    this.wrongNano = nano;
  }

  violate(what: string): void {
    this.violations.push(what);
  }
}
