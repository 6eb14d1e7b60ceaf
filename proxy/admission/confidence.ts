/**
 * When the provider may be asked before Redis has confirmed the hold. The client is given nothing before the confirmation,
 * so a mistake here costs the gateway what the provider bills for a request that is aborted at once, and the customer
 * nothing. So the reason to expect an OK is narrow: this Redis has confirmed the same key and model within seconds, what it
 * left covers this request and all others that are unconfirmed here many times over, and no limit is near.
 *
 * The exposure of an account is bounded: the sum of its unconfirmed requests never exceeds `exposureMaxNano` in a replica.
 */

import { monotonicMs } from '../../shared/durations.ts';
import { type NanoUsd, nanoUsd } from '../../shared/money.ts';
import type { Reservation } from '../../shared/wallet/reserve-reply.ts';
import type { ReserveOrder } from '../../shared/wallet/wallet.ts';

/** One dollar. */
export const exposureMaxNano = nanoUsd(1_000_000_000n);
/** A confirmation counts for so long. */
const confirmationMs = 5_000;
/** How many times over what is left has to cover what is unconfirmed. */
const balanceFactor = 20n;
const limitFactor = 4;
/** Below so many left, a limit of requests is near. */
const requestsLeftMin = 16;
const keysMax = 100_000;

/** What a confirmed reserve of a key has told. */
interface Confirmation {
  readonly identity: string;
  readonly epoch: string;
  readonly accountId: number;
  readonly keyId: number;
  readonly models: Set<string>;
  atMs: number;
  reservation: Reservation;
}

/** Of one account: requests whose reserve has not been answered yet. */
interface Unconfirmed {
  requests: number;
  amountNano: bigint;
  tokens: number;
}

/** What the hold will most likely be; has to be given back with `end`. */
export interface Expectation {
  readonly accountId: number;
  readonly keyId: number;
  readonly epoch: string;
}

const none: Unconfirmed = { requests: 0, amountNano: 0n, tokens: 0 };

export class Confidence {
  /** By key hash. */
  readonly #confirmations = new Map<string, Confirmation>();
  /** By account. */
  readonly #unconfirmed = new Map<number, Unconfirmed>();
  #unconfirmedNano = 0n;
  /** How requests ended that were sent before their hold was confirmed. */
  readonly outcomes = { confirmed: 0, refused: 0 };
  readonly #nowMs: () => number;

  /** By a clock that is never set back. */
  constructor(nowMs: () => number = monotonicMs) {
    this.#nowMs = nowMs;
  }

  /** What is at stake now: the sum of all unconfirmed requests of this process. */
  get unconfirmedNano(): NanoUsd {
    return nanoUsd(this.#unconfirmedNano);
  }

  /** Undefined where the request has to wait for its reserve. Otherwise it counts as unconfirmed until `end`. */
  begin(order: ReserveOrder): Expectation | undefined {
    const known = this.#confirmations.get(order.keyHash);
    if (known === undefined || order.once !== undefined || !isFresh(known, order, this.#nowMs())) return undefined;
    const { accountId, keyId, epoch } = known;
    const others = this.#unconfirmed.get(accountId) ?? none;
    if (!isCovered(known.reservation, others, order)) return undefined;
    this.#count(accountId, others, { requests: 1, amountNano: order.amountNano, tokens: order.rateTokens });
    return { accountId, keyId, epoch };
  }

  /** The reserve has been answered, or will not be. */
  end({ accountId }: Expectation, order: ReserveOrder, outcome: keyof Confidence['outcomes']): void {
    this.outcomes[outcome] += 1;
    const others = this.#unconfirmed.get(accountId) ?? none;
    this.#count(accountId, others, { requests: -1, amountNano: -order.amountNano, tokens: -order.rateTokens });
  }

  confirm({ keyHash, identity, model }: ReserveOrder, reservation: Reservation): void {
    // A repetition of a reserve does not tell what is left.
    if (reservation.leftNano === undefined) return;
    const { epoch, accountId, keyId } = reservation;
    const known = this.#confirmations.get(keyHash);
    if (known !== undefined && known.identity === identity && known.epoch === epoch) {
      known.models.add(model);
      known.atMs = this.#nowMs();
      known.reservation = reservation;
      return;
    }
    if (this.#confirmations.size >= keysMax) this.clear();
    const confirmation = {
      identity,
      epoch,
      accountId,
      keyId,
      models: new Set([model]),
      atMs: this.#nowMs(),
      reservation,
    };
    this.#confirmations.set(keyHash, confirmation);
  }

  /** The key was refused, whatever the reason. */
  forget(keyHash: string): void {
    this.#confirmations.delete(keyHash);
  }

  /** Another Redis answers, or the same one in another epoch. */
  clear(): void {
    this.#confirmations.clear();
  }

  #count(accountId: number, others: Unconfirmed, { requests, amountNano, tokens }: Unconfirmed): void {
    this.#unconfirmedNano += amountNano;
    const sum = {
      requests: others.requests + requests,
      amountNano: others.amountNano + amountNano,
      tokens: others.tokens + tokens,
    };
    if (sum.requests === 0) this.#unconfirmed.delete(accountId);
    else this.#unconfirmed.set(accountId, sum);
  }
}

function isFresh({ identity, models, atMs }: Confirmation, order: ReserveOrder, nowMs: number): boolean {
  return identity === order.identity && models.has(order.model) && nowMs - atMs < confirmationMs;
}

function isCovered(
  { leftNano = nanoUsd(0n), rates, streamsLeft }: Reservation,
  others: Unconfirmed,
  order: ReserveOrder,
): boolean {
  const amountNano = others.amountNano + order.amountNano;
  const [requests, tokens] = [others.requests + 1, others.tokens + order.rateTokens];
  const isNear = (left: number | undefined, wanted: number) => left !== undefined && left < wanted;
  return (
    amountNano <= exposureMaxNano &&
    amountNano * balanceFactor <= leftNano &&
    !isNear(rates.requests?.remaining, requestsLeftMin + limitFactor * requests) &&
    !isNear(rates.tokens?.remaining, limitFactor * tokens) &&
    !isNear(streamsLeft, requestsLeftMin + limitFactor * requests)
  );
}
