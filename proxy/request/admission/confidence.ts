/**
 * When the provider may be asked before Redis has confirmed the hold. The client is given nothing before the confirmation,
 * so a mistake here costs the gateway what the provider bills for a request that is aborted immediately, and the customer
 * nothing. So the reason to expect an OK is narrow: this Redis has confirmed the same key and model within seconds, what the
 * account's last confirmation left covers this request and all others that are unconfirmed here many times over, and no limit
 * is near.
 *
 * What an account can make a replica lose is bounded, however many keys it has: its unconfirmed requests never exceed
 * `lossMaxNano`, and a refusal ends confidence in all of its keys for at least a minute. So what is refused within any
 * minute was unconfirmed at the first refusal, and is at most `lossMaxNano`. Each further pause is twice as long.
 */
import { monotonicMs } from '../../../shared/durations.ts';
import { rateWindows } from '../../../shared/limits/rate-limits.ts';
import { type NanoUsd, nanoUsd } from '../../../shared/money.ts';
import type { Reservation, ReserveRefusal } from '../../../shared/wallet/reserve-reply.ts';
import type { ReserveRequest } from '../../../shared/wallet/wallet.ts';

/** A quarter of a dollar: of an account, in any minute. */
export const lossMaxNano = nanoUsd(250_000_000n);
export const pauseMs = { least: 60_000, most: 3_600_000 } as const;
/** After so long without a refusal, the next pause is short again. */
export const pauseRememberedMs = 86_400_000;
/** A confirmation counts for so long. */
const confirmationMs = 5_000;
/** How many times over what is left has to cover what is unconfirmed. */
const balanceFactor = 20n;
const limitFactor = 4;
/** Below so many left, a limit of requests is near. */
const requestsLeftMin = 16;
const keysMax = 100_000;
const accountsMax = 100_000;
const sweepIntervalMs = 60_000;

/** What a confirmed reserve of a key has returned. */
interface Confirmation {
  readonly identity: string;
  readonly epoch: string;
  readonly keyId: number;
  readonly account: Account;
  readonly models: Set<string>;
  atMs: number;
  reservation: Reservation;
}

interface Account {
  readonly id: number;
  /** What the last confirmed reserve of any of its keys has left, and when that was. */
  leftNano: NanoUsd;
  confirmedAtMs: number;
  /** Requests whose reserve has not been answered yet. */
  requests: number;
  amountNano: bigint;
  tokens: number;
  /** None of its requests is sent early until then. */
  pausedUntilMs: number;
  pauseMs: number;
}

/** What the hold will most likely be; has to be given back with `end`. */
export interface Expectation {
  readonly accountId: number;
  readonly keyId: number;
  readonly epoch: string;
}

/** An earlier request has used the Idempotency-Key, which says nothing about the account. */
const repetitions: readonly ReserveRefusal['reason'][] = ['in_progress', 'reused', 'answered', 'already_done'];

export class Confidence {
  /** By key hash. */
  readonly #confirmations = new Map<string, Confirmation>();
  readonly #accounts = new Map<number, Account>();
  #sweepDueAtMs = 0;
  #unconfirmedNano = 0n;
  #lostNano = 0n;
  /** How requests ended that were sent before their hold was confirmed. */
  readonly outcomes = { confirmed: 0, refused: 0 };
  readonly #nowMs: () => number;

  /** By a clock that is never set back. */
  constructor(nowMs: () => number = monotonicMs) {
    this.#nowMs = nowMs;
  }

  /** The exposure now: the sum of all unconfirmed requests of this process. */
  get unconfirmedNano(): NanoUsd {
    return nanoUsd(this.#unconfirmedNano);
  }

  /** What those that were refused would have cost at most. */
  get lostNano(): NanoUsd {
    return nanoUsd(this.#lostNano);
  }

  /** Undefined where the request has to wait for its reserve. Otherwise it counts as unconfirmed until `end`. */
  begin(request: ReserveRequest): Expectation | undefined {
    const known = this.#confirmations.get(request.keyHash);
    if (known === undefined || request.once !== undefined) return undefined;
    const { account, keyId, epoch } = known;
    const nowMs = this.#nowMs();
    if (!isFresh(known, request, nowMs) || nowMs < account.pausedUntilMs || !isCovered(known, request))
      return undefined;
    this.#count(account, 1, request);
    return { accountId: account.id, keyId, epoch };
  }

  /** The reserve has been answered, or will not be. */
  end({ accountId }: Expectation, request: ReserveRequest, outcome: keyof Confidence['outcomes']): void {
    this.outcomes[outcome] += 1;
    const account = this.#accounts.get(accountId);
    if (account === undefined) throw new Error(`account ${accountId} has no unconfirmed request`);
    this.#count(account, -1, request);
    if (outcome === 'confirmed') return;
    this.#lostNano += request.amountNano;
    this.#pause(account);
  }

  confirm({ keyHash, identity, model }: ReserveRequest, reservation: Reservation): void {
    // A repeated reserve does not return what is left.
    if (reservation.leftNano === undefined) return;
    const { epoch, accountId, keyId } = reservation;
    const account = this.#accountOf(accountId);
    if (account === undefined) return;
    const nowMs = this.#nowMs();
    account.leftNano = reservation.leftNano;
    account.confirmedAtMs = nowMs;
    const known = this.#confirmations.get(keyHash);
    if (known !== undefined && known.identity === identity && known.epoch === epoch && known.account === account) {
      known.models.add(model);
      known.atMs = nowMs;
      known.reservation = reservation;
      return;
    }
    if (this.#confirmations.size >= keysMax) this.clear();
    const models = new Set([model]);
    this.#confirmations.set(keyHash, { identity, epoch, keyId, account, models, atMs: nowMs, reservation });
  }

  /** Redis has refused a request with this key. Its account's other keys are not to be trusted either. */
  refuse(keyHash: string, reason: ReserveRefusal['reason']): void {
    const known = this.#confirmations.get(keyHash);
    if (known !== undefined && !repetitions.includes(reason)) this.#pause(known.account);
    this.forget(keyHash);
  }

  forget(keyHash: string): void {
    this.#confirmations.delete(keyHash);
  }

  /** Another Redis responds, or the same one in another epoch. */
  clear(): void {
    this.#confirmations.clear();
  }

  #count(account: Account, sign: 1 | -1, { amountNano, rateTokens }: ReserveRequest): void {
    const changeNano = sign === 1 ? amountNano : -amountNano;
    this.#unconfirmedNano += changeNano;
    account.requests += sign;
    account.amountNano += changeNano;
    account.tokens += sign * rateTokens;
  }

  /** Refusals within a pause belong to the one that began it. */
  #pause(account: Account): void {
    const nowMs = this.#nowMs();
    const { pausedUntilMs } = account;
    if (nowMs < pausedUntilMs) {
      account.pausedUntilMs = Math.max(pausedUntilMs, nowMs + pauseMs.least);
      return;
    }
    const isForgotten = nowMs - pausedUntilMs >= pauseRememberedMs;
    account.pauseMs = isForgotten ? pauseMs.least : Math.min(account.pauseMs * 2, pauseMs.most);
    account.pausedUntilMs = nowMs + account.pauseMs;
  }

  /** Undefined if there are too many: this one's requests wait for their reserves. */
  #accountOf(id: number): Account | undefined {
    const known = this.#accounts.get(id);
    if (known !== undefined) return known;
    if (this.#accounts.size >= accountsMax) this.#sweep();
    if (this.#accounts.size >= accountsMax) return undefined;
    const account: Account = {
      ...{ id, leftNano: nanoUsd(0n), confirmedAtMs: 0, requests: 0, amountNano: 0n, tokens: 0 },
      ...{ pausedUntilMs: Number.NEGATIVE_INFINITY, pauseMs: 0 },
    };
    this.#accounts.set(id, account);
    return account;
  }

  /** Drops the accounts of which nothing has to be remembered. */
  #sweep(): void {
    const nowMs = this.#nowMs();
    if (nowMs < this.#sweepDueAtMs) return;
    this.#sweepDueAtMs = nowMs + sweepIntervalMs;
    for (const [id, { requests, confirmedAtMs, pausedUntilMs }] of this.#accounts) {
      const isIdle = requests === 0 && nowMs - confirmedAtMs >= confirmationMs;
      if (isIdle && nowMs - pausedUntilMs >= pauseRememberedMs) this.#accounts.delete(id);
    }
  }
}

function isFresh({ identity, models, atMs }: Confirmation, request: ReserveRequest, nowMs: number): boolean {
  return identity === request.identity && models.has(request.model) && nowMs - atMs < confirmationMs;
}

function isCovered({ reservation, account }: Confirmation, request: ReserveRequest): boolean {
  const { leftNano = account.leftNano, rates, streamsLeft } = reservation;
  const amountNano = account.amountNano + request.amountNano;
  const requests = requestsLeftMin + limitFactor * (account.requests + 1);
  const needed = { requests, tokens: limitFactor * (account.tokens + request.rateTokens) };
  const isNear = (left: number | undefined, wanted: number) => left !== undefined && left < wanted;
  return (
    amountNano <= lossMaxNano &&
    // Of the key, which may have a limit of its own, and of the account, which its other keys share.
    amountNano * balanceFactor <= leftNano &&
    amountNano * balanceFactor <= account.leftNano &&
    !rateWindows.some(({ inScripts, counts }) => isNear(rates[inScripts]?.remaining, needed[counts])) &&
    !isNear(streamsLeft, requests)
  );
}
