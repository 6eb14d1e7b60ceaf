/**
 * A lease of this process: a part of a wallet, with shares of the limits of one key, from which requests begin without asking
 * Redis. What they cost is told to Redis by draws, one after the other; a draw whose reply is lost is repeated with its number
 * until it is known to be applied.
 */
import { type NanoUsd, nanoUsd } from '../../../shared/money.ts';
import type { DimensionName } from '../../../shared/usage/dimension-names.ts';
import type { RateLimits, RateStatuses } from '../../../shared/wallet/key-limits.ts';
import {
  type DrawRequest,
  type DrawResult,
  holdMs,
  type LeaseCharges,
  type LeaseState,
  leaseSpanMs,
  type PromotedRequest,
} from '../../../shared/wallet/lease.ts';
import type { Shard } from '../../../shared/wallet/shard.ts';
import type { Settle } from '../settlement/decision.ts';
import { isLess, LeaseHoldings, noParts, type RequestPart } from './lease-holdings.ts';

/** A request is not begun in the last part of the span: its provider would be asked after it. */
const spanMarginMs = 500;
/** What is delivered from a lease ends this long before Redis may expire it. */
const fenceMs = 25_000;
/**
 * What is lost if this process is killed: what requests of a lease have cost and Redis has not been told. With so much of
 * it, no further request begins from the lease.
 */
export const undrawnMaxNano = nanoUsd(1_000_000_000n);
/** A wallet or limit that could not give what was wanted is asked again only after so long. */
const refillPauseMs = 100;

/** The key that it is for. */
export interface LeasedKey {
  readonly shard: Shard;
  readonly keyHash: string;
  readonly accountId: number;
  readonly keyId: number;
  /** What its charges are attributed to. */
  readonly assignment?: string;
  readonly rateDefaults: RateLimits;
}

/** What decides whether a request may begin from a lease. */
export interface Admissible extends RequestPart {
  /** That may serve it. */
  readonly models: readonly string[];
  /** Of the rules that the request was judged by. */
  readonly rulesMark?: string;
}

/** What a request takes out of a lease as long as it runs. */
export interface LeasedRequest extends RequestPart {
  readonly requestId: string;
  /** The hold that it gets if it takes longer. */
  promotion(): PromotedRequest;
  /** Redis has given it a hold of its own, in a draw that was sent at this time. */
  promoted(epoch: string, sentAtMs: number): void;
  /** The lease is over: it has to restore a hold of its own. */
  uncovered(): void;
}

/** Whether its charges are one entry of the usage stream is decided each time that it is sent. */
export type Draw = Omit<DrawRequest, 'isPacked'>;
export type Charges = Omit<LeaseCharges, 'isPacked'>;

/** A draw on its way, or whose reply was lost. */
interface Drawing {
  readonly request: Draw;
  readonly charges: readonly Settle[];
  readonly promoted: readonly LeasedRequest[];
}

/** Charges on their way alone, or whose reply was lost. */
interface Charging {
  readonly request: Charges;
  readonly charges: readonly Settle[];
}

/** `closed`: no more requests begin from it. `over`: nothing is left of it, here or in Redis, or it has expired there. */
type Phase = 'open' | 'closed' | 'over';

export interface LeaseServices {
  draw(request: Draw): Promise<DrawResult>;
  /** Undefined if it takes a draw. */
  charge(charges: Charges): Promise<{ readonly amountNano: NanoUsd; readonly streamId: string } | undefined>;
  /** Redis has these charges, in this entry of the usage stream or an earlier one. */
  drawn(charges: readonly Settle[], streamId: string): void;
  /** The lease was given up, and it is unknown whether Redis has these charges. */
  undrawn(charges: readonly Settle[]): void;
  /** The lease has something to draw, which may wait for a few milliseconds. */
  onDue(lease: Lease): void;
}

export class Lease {
  readonly id: string;
  readonly key: LeasedKey;
  readonly #services: LeaseServices;
  readonly #identity: string;
  /** Monotonic. */
  readonly #nowMs: () => number;
  #number = 0;
  #holdings = new LeaseHoldings();
  #models: ReadonlySet<string> | undefined;
  #rulesMark = '';
  #dimensions: readonly DimensionName[] | undefined;
  /** As of the last draw. */
  #rates: RateStatuses | undefined;
  #phase: Phase = 'open';
  #isClosedThere = false;
  /** Monotonic: when it was given up. */
  #givenUpAtMs: number | undefined;
  /** A request did not find what it needed. */
  #isShort = true;
  /** Monotonic: until then it is not drawn for being short alone. */
  #noRefillUntilMs = Number.NEGATIVE_INFINITY;
  /** Monotonic: when a request began from it, or it was made. */
  #begunAtMs: number;
  /** Monotonic: when the last confirmed draw was sent. */
  #confirmedAtMs = Number.NEGATIVE_INFINITY;
  #usableUntilMs = Number.NEGATIVE_INFINITY;
  readonly #running = new Set<LeasedRequest>();
  #charges: Settle[] = [];
  #promoting = new Set<LeasedRequest>();
  #drawing: Drawing | undefined;
  #charging: Charging | undefined;
  #sending: Promise<void> | undefined;

  constructor(
    key: LeasedKey,
    services: LeaseServices,
    { id, identity, nowMs }: { readonly id: string; readonly identity: string; readonly nowMs: () => number },
  ) {
    this.key = key;
    this.#services = services;
    this.id = id;
    this.#identity = identity;
    this.#nowMs = nowMs;
    this.#begunAtMs = nowMs();
  }

  /** The epoch of the last draw. */
  get epoch(): string {
    return this.#holdings.state?.epoch ?? '';
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** Redis knows that no more requests begin from it. */
  get isClosedThere(): boolean {
    return this.#isClosedThere;
  }

  /** Monotonic: since when nothing has begun from it; undefined while requests run. */
  get idleSinceMs(): number | undefined {
    return this.#running.size === 0 ? this.#begunAtMs : undefined;
  }

  /** What requests have cost that Redis is not known to have charged. */
  get undrawnNano(): NanoUsd {
    return nanoUsd(this.#holdings.undrawnNano);
  }

  /** Charges whose draw had no reply; it is repeated. */
  get unconfirmed(): number {
    if (this.#sending !== undefined) return 0;
    return (this.#charging?.charges.length ?? 0) + (this.#drawing?.charges.length ?? 0);
  }

  /** What else charges of its key are attributed to, as of the last draw; undefined if nothing. */
  get dimensions(): readonly DimensionName[] | undefined {
    return this.#dimensions;
  }

  /** What it has of the wallet, as Redis confirmed it last. */
  get amountNano(): NanoUsd {
    return this.#holdings.state?.amountNano ?? nanoUsd(0n);
  }

  /** What this process leaves of the limits. */
  get rates(): RateStatuses | undefined {
    return this.#rates && this.#holdings.leftOf(this.#rates);
  }

  /** There are charges, promotions, a draw to be repeated, or something to be returned; or it has too little. */
  isDue(): boolean {
    if (this.#phase === 'open') {
      if (this.#takesMore) return true;
    } else if (!this.#isClosedThere || this.#running.size === 0) return this.#phase === 'closed';
    return this.#hasCharges || this.#promoting.size > 0 || this.#drawing !== undefined;
  }

  /** It has too little, and may be given more. */
  get #takesMore(): boolean {
    return this.#isShort && this.#nowMs() >= this.#noRefillUntilMs;
  }

  get #hasCharges(): boolean {
    return this.#charges.length > 0 || this.#charging !== undefined;
  }

  /** Monotonic: when the last confirmed draw was sent. */
  get confirmedAtMs(): number {
    return this.#confirmedAtMs;
  }

  /** Whether what runs from it may still be delivered. */
  covers(): boolean {
    return this.#nowMs() - this.#confirmedAtMs < holdMs - fenceMs;
  }

  /** Whether a request may begin from it now; if so, `enter` must follow immediately. */
  admits(request: Admissible): boolean {
    const holdings = this.#holdings;
    holdings.ask(request);
    const isUsable = this.#phase === 'open' && this.#nowMs() < this.#usableUntilMs;
    if (isUsable && this.#refuses(request)) return false;
    const isThere = isUsable && holdings.undrawnNano < undrawnMaxNano && holdings.hasFree(request);
    return isThere || this.#refuse();
  }

  /** By what the key may be used for: it has to be judged by Redis, which more money would not change. */
  #refuses({ models, rulesMark = '' }: Admissible): boolean {
    const allowed = this.#models;
    return rulesMark !== this.#rulesMark || (allowed !== undefined && !models.every((model) => allowed.has(model)));
  }

  /** The request has to be reserved. */
  #refuse(): false {
    this.#isShort = true;
    if (this.isDue()) this.#services.onDue(this);
    return false;
  }

  /** Takes the most that the request can cost out of what is free. */
  enter(request: LeasedRequest): void {
    this.#begunAtMs = this.#nowMs();
    this.#running.add(request);
    this.#holdings.begin(request);
  }

  /** The request has ended; without a charge it costs nothing. False if a hold of its own is on its way. */
  leave(request: LeasedRequest, charge?: Settle): boolean {
    if (this.#promoting.delete(request)) this.#holdings.endPromotion(request, charge);
    else if (this.#running.delete(request)) this.#holdings.end(request, charge);
    else return false;
    if (charge !== undefined) this.#charges.push(charge);
    if (charge !== undefined || this.#phase === 'closed') this.#services.onDue(this);
    return true;
  }

  /** The next draw gives the request a hold of its own. */
  promote(request: LeasedRequest): void {
    if (!this.#running.delete(request)) return;
    this.#promoting.add(request);
    this.#holdings.promote(request);
    this.#services.onDue(this);
  }

  /** No more requests begin from it, and the next draw returns what none has. */
  close(): void {
    if (this.#phase !== 'open') return;
    this.#phase = 'closed';
    this.#services.onDue(this);
  }

  /**
   * Redis was replaced, or has lost it. The last draw ends it where it is still there, and gives what runs from it holds of
   * their own, which are renewed as soon as that is confirmed. Its charges are sent one by one.
   */
  giveUp(): void {
    if (this.#phase === 'over') return;
    const { charges = [], promoted = [] } = this.#drawing ?? {};
    this.#services.undrawn([...charges, ...(this.#charging?.charges ?? []), ...this.#charges]);
    this.#charging = undefined;
    this.#charges = [];
    this.#holdings = new LeaseHoldings();
    const uncovered = [...this.#running, ...this.#promoting, ...promoted];
    this.#running.clear();
    this.#promoting.clear();
    this.#phase = 'closed';
    this.#givenUpAtMs ??= this.#nowMs();
    // One with the next number may be on its way.
    const number = this.#number + 2;
    const given = uncovered.map((each) => each.promotion());
    const rest = { begun: 0, usedTokens: 0, keep: noParts, want: noParts, next: 'ended', promoted: given } as const;
    this.#drawing = { request: { ...this.#draft([]), number, ...rest }, charges: [], promoted: uncovered };
  }

  /** Ends it here, although Redis may still have it: it expires there. */
  abandon(): void {
    this.giveUp();
    this.#end();
  }

  /**
   * Sends the next draw, or the last one again; if one is on its way, waits for that. Rejects if it is unknown whether it was
   * applied.
   */
  draw(): Promise<void> {
    return this.#alone(() => this.#send());
  }

  /** Draws what is due. If that is only charges, Redis is asked for nothing else. */
  flush(): Promise<void> {
    const isOnlyCharges = this.#phase === 'open' && this.#hasCharges && this.#promoting.size === 0;
    const isMore = this.#takesMore || this.#drawing !== undefined;
    return this.#alone(() => (isOnlyCharges && !isMore ? this.#sendCharges() : this.#send()));
  }

  /** Calls are made one after the other; if one is on its way, this waits for that. */
  #alone(send: () => Promise<void>): Promise<void> {
    if (this.#phase === 'over') return Promise.resolve();
    if (this.#nowMs() - (this.#givenUpAtMs ?? Number.POSITIVE_INFINITY) > holdMs) {
      this.#end();
      return Promise.resolve();
    }
    this.#sending ??= send().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  /** Gives the request a hold of its own now. Rejects if that is not confirmed. */
  async promoteNow(request: LeasedRequest): Promise<void> {
    this.promote(request);
    await this.draw();
    if (this.#promoting.has(request)) await this.draw();
  }

  async #sendCharges(): Promise<void> {
    let charging = this.#charging;
    if (charging === undefined) {
      charging = { request: this.#draft(this.#charges), charges: this.#charges };
      this.#charging = charging;
      this.#charges = [];
    }
    const result = await this.#services.charge(charging.request);
    // Unless it was given up in the meantime.
    if (charging === this.#charging) this.#acceptCharges(charging, result);
  }

  #acceptCharges({ request, charges }: Charging, result: Awaited<ReturnType<LeaseServices['charge']>>): void {
    this.#charging = undefined;
    if (result === undefined) {
      // The call may have been a repetition, and the first one may arrive yet: their number has these charges and no others.
      const rest = { begun: 0, usedTokens: 0, want: noParts, next: 'open', promoted: [] } as const;
      const draw = {
        ...this.key,
        identity: this.#identity,
        ...request,
        ...rest,
        keep: this.#holdings.allBut(charges, []),
      };
      this.#drawing = { request: draw, charges, promoted: [] };
      return;
    }
    this.#number = request.number;
    this.#holdings.charged(charges, result.amountNano);
    this.#services.drawn(charges, result.streamId);
  }

  async #send(): Promise<void> {
    if (this.#charging !== undefined) await this.#sendCharges();
    const sentAtMs = this.#nowMs();
    const drawing = this.#drawing ?? this.#compose();
    this.#drawing = drawing;
    const result = await this.#services.draw(drawing.request);
    // Unless it was given up in the meantime.
    if (drawing === this.#drawing) this.#accept(drawing, result, sentAtMs);
  }

  #compose(): Drawing {
    const charges = this.#charges;
    const promoted = [...this.#promoting];
    const next = this.#phase === 'open' ? 'open' : this.#running.size === 0 ? 'ended' : 'closed';
    const request: Draw = {
      ...this.#draft(charges),
      ...this.#holdings.compose(charges, promoted, next === 'open'),
      next,
      promoted: promoted.map((each) => each.promotion()),
    };
    this.#charges = [];
    this.#promoting = new Set();
    this.#isShort = false;
    return { request, charges, promoted };
  }

  #draft(charges: readonly Settle[]) {
    return {
      ...this.key,
      leaseId: this.id,
      number: this.#number + 1,
      identity: this.#identity,
      charges: charges.map(({ held: { requestId }, costNano, tokens, detail }) => ({
        requestId,
        costNano,
        tokens,
        detail,
      })),
    };
  }

  #accept(drawing: Drawing, result: DrawResult, sentAtMs: number): void {
    if (!('amountNano' in result)) {
      this.#acceptEnd(drawing, result);
      return;
    }
    const { request, charges, promoted } = drawing;
    this.#drawing = undefined;
    this.#number = request.number;
    this.#holdings.drawn({ charges, promoted, usedTokens: request.usedTokens }, result);
    this.#services.drawn(charges, result.streamId);
    for (const each of promoted) each.promoted(result.epoch, sentAtMs);
    this.#isClosedThere = request.next !== 'open';
    this.#confirmedAtMs = sentAtMs;
    if (result.status === 'closed') this.close();
    else {
      this.#rates = result.rates;
      this.#models = result.models && new Set(result.models);
      this.#rulesMark = result.rulesMark;
      this.#dimensions = result.dimensions;
      if (isLess(result, request.want)) this.#noRefillUntilMs = sentAtMs + refillPauseMs;
      this.#usableUntilMs = sentAtMs + Math.min(leaseSpanMs, result.expiresInMs ?? leaseSpanMs) - spanMarginMs;
    }
  }

  #acceptEnd(drawing: Drawing, { status, streamId }: Exclude<DrawResult, LeaseState>): void {
    if (status === 'ended') {
      this.#services.drawn(drawing.charges, streamId);
      this.#drawing = { ...drawing, charges: [] };
    }
    const isLast =
      drawing.request.next === 'ended' || this.#holdings.state === undefined || this.#givenUpAtMs !== undefined;
    if (status === 'ended' && isLast) this.#end();
    else this.giveUp();
  }

  /** The last draw is applied, or was in vain. */
  #end(): void {
    this.#phase = 'over';
    for (const request of this.#drawing?.promoted ?? []) request.uncovered();
    this.#drawing = undefined;
  }
}
