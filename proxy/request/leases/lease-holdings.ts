/**
 * What a lease has of a wallet and of the limits of a key, and what of it is in use.
 *
 *   have = free + what running requests have + what leaves with charges and promotions
 *
 * `have` is what Redis confirmed last. A draw asks to keep all of it, so whatever begins while it is on its way is covered.
 */
import { rateWindows } from '../../../shared/limits/rate-limits.ts';
import { type NanoUsd, nanoUsd } from '../../../shared/money.ts';
import type { RateStatus, RateStatuses } from '../../../shared/wallet/key-limits.ts';
import type { LeaseParts, LeaseState } from '../../../shared/wallet/lease.ts';

/** What one request has of it as long as it runs. */
export interface RequestPart {
  readonly heldNano: NanoUsd;
  /** Counted until the actual number is known. */
  readonly tokens: number;
}

/** What a request has cost. */
export interface ChargedPart {
  readonly costNano: NanoUsd;
  readonly tokens: number;
}

export const noParts: LeaseParts = { amountNano: nanoUsd(0n), requests: 0, tokens: 0, streams: 0 };
/** A lease should last for so many times what has been asked for since the last draw. */
const supplyFactor = 4;

export class LeaseHoldings {
  /** What Redis confirmed last; undefined before the first draw. */
  #state: LeaseState | undefined;
  readonly #running = { amountNano: 0n, tokens: 0, streams: 0 };
  /** What leaves with charges and promotions that are not confirmed yet. */
  readonly #leaving = { amountNano: 0n, tokens: 0, streams: 0 };
  #undrawnNano = 0n;
  /** Requests that began since the last draw was made, and since the one that was confirmed last. */
  #begun = 0;
  #begunSinceState = 0;
  /** Tokens of requests whose charges are drawn, which the limits have yet to count. */
  #usedTokens = 0;
  /** What has been asked for since the last draw, whether it had it or not. */
  #asked = { amountNano: 0n, requests: 0, tokens: 0 };

  get state(): LeaseState | undefined {
    return this.#state;
  }

  /** What requests have cost that Redis is not known to have charged. */
  get undrawnNano(): bigint {
    return this.#undrawnNano;
  }

  /** Counts what a request asks for, which decides how much the lease wants. */
  ask({ heldNano, tokens }: RequestPart): void {
    const asked = this.#asked;
    asked.amountNano += heldNano;
    asked.requests += 1;
    asked.tokens += tokens;
  }

  /** Whether what the request needs is free. */
  hasFree({ heldNano, tokens }: RequestPart): boolean {
    const state = this.#state;
    if (state === undefined) return false;
    const running = this.#running;
    const leaving = this.#leaving;
    return (
      heldNano + running.amountNano + leaving.amountNano <= state.amountNano &&
      (state.requests === undefined || this.#begunSinceState < state.requests) &&
      (state.tokens === undefined || tokens + running.tokens + leaving.tokens <= state.tokens) &&
      (state.streams === undefined || running.streams + leaving.streams < state.streams)
    );
  }

  /** The request takes the most that it can cost out of what is free. */
  begin({ heldNano, tokens }: RequestPart): void {
    this.#begun += 1;
    this.#begunSinceState += 1;
    this.#running.amountNano += heldNano;
    this.#running.tokens += tokens;
    this.#running.streams += 1;
  }

  /** What the request had is free again, less what it has cost. */
  end({ heldNano, tokens }: RequestPart, charge?: ChargedPart): void {
    this.#running.amountNano -= heldNano;
    this.#running.tokens -= tokens;
    this.#running.streams -= 1;
    if (charge !== undefined) this.#countCharge(charge, 1);
  }

  /** What the request has leaves with a promotion. */
  promote(request: RequestPart): void {
    this.end(request);
    this.#countPromotion(request, 1);
  }

  /** A promotion is not sent, because its request has ended. */
  endPromotion(request: RequestPart, charge?: ChargedPart): void {
    this.#countPromotion(request, -1);
    if (charge !== undefined) this.#countCharge(charge, 1);
  }

  /** What a draw tells of requests since the last one. */
  compose(charges: readonly ChargedPart[], promoted: readonly RequestPart[], isOpen: boolean) {
    const composed = {
      begun: this.#begun,
      usedTokens: this.#usedTokens,
      keep: isOpen ? this.allBut(charges, promoted) : this.#ofRunning(),
      want: isOpen ? this.#supply() : noParts,
    };
    this.#begun = 0;
    this.#usedTokens = 0;
    this.#asked = { amountNano: 0n, requests: 0, tokens: 0 };
    return composed;
  }

  /** All that it has but what leaves with these; and at least what requests have, whatever was charged. */
  allBut(charges: readonly ChargedPart[], promoted: readonly RequestPart[]): LeaseParts {
    const state = this.#state;
    if (state === undefined) return noParts;
    let amountNano: bigint = state.amountNano;
    let tokens = (state.tokens ?? 0) - this.#usedTokens;
    for (const charge of charges) {
      amountNano -= charge.costNano;
      tokens -= charge.tokens;
    }
    for (const each of promoted) {
      amountNano -= each.heldNano;
      tokens -= each.tokens;
    }
    const { amountNano: runningNano } = this.#running;
    return {
      amountNano: nanoUsd(amountNano > runningNano ? amountNano : runningNano),
      requests: Math.max(0, (state.requests ?? 0) - this.#begunSinceState),
      tokens: Math.max(0, tokens),
      streams: Math.max(0, (state.streams ?? 0) - promoted.length),
    };
  }

  #ofRunning(): LeaseParts {
    const { amountNano, tokens, streams } = this.#running;
    return {
      amountNano: nanoUsd(amountNano),
      requests: 0,
      tokens: this.#state?.tokens === undefined ? 0 : tokens,
      streams: this.#state?.streams === undefined ? 0 : streams,
    };
  }

  #supply(): LeaseParts {
    const { amountNano, requests, tokens } = this.#asked;
    const running = this.#running;
    return {
      amountNano: nanoUsd(running.amountNano + BigInt(supplyFactor) * amountNano),
      requests: supplyFactor * requests,
      tokens: running.tokens + supplyFactor * tokens,
      streams: running.streams + supplyFactor * requests,
    };
  }

  /** Redis has charged these and nothing else: the lease has `amountNano` left. */
  charged(charges: readonly ChargedPart[], amountNano: NanoUsd): void {
    for (const charge of charges) {
      this.#countCharge(charge, -1);
      this.#usedTokens += charge.tokens;
      this.#leaving.tokens += charge.tokens;
    }
    if (this.#state !== undefined) this.#state = { ...this.#state, amountNano };
  }

  /** Redis has applied a draw. */
  drawn(
    {
      charges,
      promoted,
      usedTokens,
    }: {
      readonly charges: readonly ChargedPart[];
      readonly promoted: readonly RequestPart[];
      readonly usedTokens: number;
    },
    state: LeaseState,
  ): void {
    this.#leaving.tokens -= usedTokens;
    for (const charge of charges) this.#countCharge(charge, -1);
    for (const each of promoted) this.#countPromotion(each, -1);
    this.#state = state;
    this.#begunSinceState = this.#begun;
  }

  /** What this process leaves of limits of which so much was left by the last draw. */
  leftOf(rates: RateStatuses): RateStatuses {
    const taken = { requests: this.#begunSinceState, tokens: this.#running.tokens + this.#leaving.tokens };
    const left = { ...rates };
    for (const row of rateWindows) left[row.inScripts] = leaveOf(rates[row.inScripts], taken[row.counts], row);
    return left;
  }

  #countCharge({ costNano, tokens }: ChargedPart, sign: 1 | -1): void {
    const changeNano = sign === 1 ? costNano : -costNano;
    this.#undrawnNano += changeNano;
    this.#leaving.amountNano += changeNano;
    this.#leaving.tokens += sign * tokens;
  }

  #countPromotion({ heldNano, tokens }: RequestPart, sign: 1 | -1): void {
    this.#leaving.amountNano += sign === 1 ? heldNano : -heldNano;
    this.#leaving.tokens += sign * tokens;
    this.#leaving.streams += sign;
  }
}

/** It was given less than it wanted. */
export function isLess(state: LeaseState, want: LeaseParts): boolean {
  return (
    state.amountNano < want.amountNano ||
    (state.requests !== undefined && state.requests < want.requests) ||
    (state.tokens !== undefined && state.tokens < want.tokens) ||
    (state.streams !== undefined && state.streams < want.streams)
  );
}

/** A limit after so much has been taken of it: all of it is restored in as much more time. */
function leaveOf(
  rate: RateStatus | undefined,
  taken: number,
  { window }: { readonly window: { readonly ms: number } },
): RateStatus | undefined {
  if (rate === undefined || taken === 0) return rate;
  const { limit, remaining, resetMs } = rate;
  return {
    limit,
    remaining: Math.max(0, remaining - taken),
    resetMs: resetMs + Math.ceil((taken * window.ms) / limit),
  };
}
