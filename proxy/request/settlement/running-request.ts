/**
 * One request that holds money. It ends exactly once: settled with the metered usage, or released. Until then its hold
 * is renewed with the cost so far, so that what was delivered is charged even if the proxy dies.
 */

import { kinds } from '../../../shared/catalogue/model-kinds.ts';
import { monotonicMs } from '../../../shared/durations.ts';
import { costOf, type NanoUsd, nanoUsd, tokensWithin } from '../../../shared/money.ts';
import { type BillableUnit, tokensOf } from '../../../shared/usage/billable-units.ts';
import { holdMs, type PromotedRequest } from '../../../shared/wallet/lease.ts';
import type { HeldRequest, RenewResult } from '../../../shared/wallet/wallet.ts';
import { type AbortReason, Cancellation } from '../../nouns/cancellation.ts';
import { defaultTimeouts } from '../../nouns/limits.ts';
import { noUsage, type Usage } from '../../nouns/usage.ts';
import { type Bill, billOf, chargeDetailOf } from '../../pricing/bill.ts';
import type { Model } from '../../pricing/catalogue.ts';
import {
  costOfUsage,
  countPriced,
  maxOutputPrice,
  partsOfUnits,
  pricesOf,
  reachablePrices,
} from '../../pricing/cost.ts';
import type { RequestMeter } from '../../pricing/request-meter.ts';
import type { MadeUnits } from '../../providers/adapter.ts';
import type { Lease, LeasedRequest } from '../leases/lease.ts';
import type { Timeline } from '../metrics/timeline.ts';
import { ClientConnection, drainLimits } from '../response/client-connection.ts';
import type { Decision, Settle } from './decision.ts';
import type { RunningRequestOptions, RunningServices } from './running-request-options.ts';

const renewIntervalMs = 30_000;
/** A request that takes longer gets a hold of its own. */
const promotedAfterMs = 1_000;
/** How far beyond the delivered tokens a hold is raised, so that Redis is not called for every token. */
const extensionFactor = 1.25;
const extensionTokensMin = 64;
/** A stream is ended this long before its hold may be expired. */
const fenceMs = 25_000;

const nothingDelivered = () => 0;

export class RunningRequest implements LeasedRequest {
  /** Of one choice, in tokens. */
  outputCap: number;
  readonly choices: number;
  readonly startedAtMs: number;
  readonly timeline: Timeline;
  /** Cancels all work for this request. */
  readonly abort = new Cancellation();
  readonly connection: ClientConnection;
  deployment = '';
  /** The request was sent to a provider, which has not rejected it. */
  atProvider = false;
  /** Monotonic: when it was sent to the deployment tried last. */
  sentAtMs = 0;
  /** How often the hold was renewed. */
  renewals = 0;
  /** Monotonic: when the provider's headers are due; undefined while none are expected. */
  headersDueAtMs: number | undefined;
  /** Monotonic: when the provider's last bytes came; undefined before its headers, and while waiting for the client. */
  lastBytesAtMs: number | undefined;
  /** The meter of the deployment tried last. */
  meter: Pick<RequestMeter, 'promptTokens' | 'outputTokens' | 'learn'> | undefined;
  /** Set from the provider's own timeouts, if it has any. */
  timeouts: { readonly idleMs: number; readonly totalMs: number } = defaultTimeouts;
  /** Counts the output tokens delivered so far; a stream sets its own. */
  deliveredTokens: () => number = nothingDelivered;
  /** Counts those of them that are audio. */
  deliveredAudioTokens: () => number = nothingDelivered;
  /** Counts the searches of the web that the response shows so far. */
  webSearches: () => number = nothingDelivered;
  readonly #options: RunningRequestOptions;
  readonly #services: RunningServices<RunningRequest>;
  #held: HeldRequest;
  #renewedAtMs: number;
  #amountNano: NanoUsd;
  /** That is asked now. */
  #model: Model;
  #promptTokensMax: number;
  #wanted: Usage;
  #coveredTokens: number;
  #renewing = false;
  /** Undefined once it has a hold of its own. */
  #lease: Lease | undefined;
  /** Its lease is over, and it has no hold of its own yet. */
  #isUncovered = false;
  /** Its end, while it is not known yet whether it has a hold of its own. */
  #ending: Decision | undefined;
  #isAbandoned = false;
  #ended = false;

  constructor(options: RunningRequestOptions, services: RunningServices<RunningRequest>) {
    this.#options = options;
    this.#services = services;
    this.connection = new ClientConnection(this.abort, kinds[options.model.kind].isMadeWhole ? null : drainLimits);
    this.#held = options.held;
    this.#model = options.model;
    this.#promptTokensMax = options.promptTokensMax;
    this.#wanted = options.wanted ?? noUsage;
    this.outputCap = options.outputCap;
    this.choices = options.choices;
    this.startedAtMs = options.startedAtMs;
    this.timeline = options.timeline;
    this.#renewedAtMs = options.heldAtMs;
    this.#amountNano = options.amountNano;
    this.#coveredTokens = options.outputCap * options.choices;
    this.#lease = options.leased?.lease;
    this.#lease?.enter(this);
  }

  get requestId(): string {
    return this.#held.requestId;
  }

  get accountId(): number {
    return this.#held.accountId;
  }

  /** Called for each chunk of a response. */
  received(bytes: number): void {
    this.lastBytesAtMs = monotonicMs();
    this.connection.received(bytes);
  }

  get modelId(): string {
    return this.#model.id;
  }

  get isMadeWhole(): boolean {
    return kinds[this.#model.kind].isMadeWhole;
  }

  get heldNano(): NanoUsd {
    return this.#amountNano;
  }

  get tokens(): number {
    return this.#options.leased?.tokens ?? 0;
  }

  /** From here on this model is asked, within what is held; nothing of a response has been delivered. */
  ask({
    model,
    promptTokensMax,
    wanted = noUsage,
    outputCap,
  }: Pick<RunningRequestOptions, 'model' | 'promptTokensMax' | 'wanted' | 'outputCap'>): void {
    this.#model = model;
    this.#promptTokensMax = promptTokensMax;
    this.#wanted = wanted;
    this.outputCap = outputCap;
    this.#coveredTokens = outputCap * this.choices;
  }

  promotion(): PromotedRequest {
    const usage = this.#progress();
    return {
      requestId: this.requestId,
      amountNano: this.#amountNano,
      outputCap: this.outputCap,
      tokens: this.tokens,
      progressNano: costOfUsage(this.#model, usage),
      detail: this.#detail(usage, true),
    };
  }

  promoted(epoch: string, sentAtMs: number): void {
    this.#lease = undefined;
    this.#held = { ...this.#held, epoch };
    this.#renewedAtMs = sentAtMs;
    this.renewals += 1;
    this.#submitEnding();
  }

  uncovered(): void {
    this.#renewedAtMs = this.#lease?.confirmedAtMs ?? this.#renewedAtMs;
    this.#lease = undefined;
    this.#isUncovered = true;
    this.#submitEnding();
  }

  #submitEnding(): void {
    const ending = this.#ending;
    this.#ending = undefined;
    if (ending?.kind === 'settle') void this.#services.replayBuffer.submit({ ...ending, held: this.#held });
    else if (ending !== undefined) void this.#services.replayBuffer.submit(ending);
  }

  /** Output tokens of all choices that the hold covers. */
  get coveredTokens(): number {
    return this.#coveredTokens;
  }

  /** True if the response is stored for repetitions of this request. */
  get storesResponse(): boolean {
    return this.#held.once !== undefined;
  }

  /** Charges the usage, or an estimate of what was delivered. The charge is on its way. */
  settle(used: Usage | null, deliveredTokens: number, isEstimated = false): Bill {
    const bill = used === null ? this.estimatedBill(deliveredTokens) : this.bill(used, isEstimated);
    void this.charge(bill);
    return bill;
  }

  /** It is unknown how much was generated: charges everything that the hold covers, and nothing beyond it. */
  settleByHold(): void {
    const model = this.#model;
    if (this.isMadeWhole) {
      return void this.charge({ ...this.billMade({ units: this.#wanted }), estimated: true });
    }
    const { usage: estimated } = this.estimatedBill(0);
    const usage = { ...estimated, webSearches: this.#wanted.webSearches };
    const prices = pricesOf(model, usage);
    const tokens = tokensWithin(this.#amountNano, {
      parts: [{ count: usage.promptTokens, price: prices.prompt }, ...partsOfUnits(model.prices, usage)],
      price: prices.completion,
      tokensMax: model.kind === 'embedding' ? 0 : this.#coveredTokens,
    });
    void this.charge(this.bill({ ...usage, completionTokens: tokens ?? 0 }, true));
  }

  /** The client has disconnected. Returns whether its whole response is still read to the end; if there are too many, it is not. */
  abandon(): boolean {
    this.#isAbandoned = !this.#ended && this.#services.abandoned.acquire(this.accountId);
    return this.#isAbandoned;
  }

  /** The client has disconnected, and nothing of the response was awaited any longer. */
  settleDisconnect(): void {
    this.settle(null, this.#options.isStream ? 0 : this.#services.speeds.estimateOutput(this));
  }

  bill(usage: Usage, estimated = false): Bill {
    return billOf(this.#model, this.#withoutUnasked(usage), estimated);
  }

  /** A provider that searches the web more often than it was asked to is not paid for that. */
  #withoutUnasked(usage: Usage): Usage {
    const { webSearches: most } = this.#wanted;
    return usage.webSearches > most ? { ...usage, webSearches: most } : usage;
  }

  /** Their prompt is part of their price, unless it has its own; then it is estimated if it was not reported. */
  billMade({ units, prompt, estimated = [] }: MadeUnits): Bill {
    if (this.#promptTokensMax === 0) return this.#billOfEstimates(units, estimated);
    if (prompt !== undefined) return this.#billOfEstimates({ ...units, ...prompt }, estimated);
    const weighed = { ...units, promptTokens: this.#estimatedUsage(0).promptTokens };
    return this.#billOfEstimates(weighed, [...estimated, 'promptTokens']);
  }

  /** What was not reported and costs nothing is not counted. */
  #billOfEstimates(units: Usage, names: readonly BillableUnit[]): Bill {
    const free = names.filter((name) => costOfUsage(this.#model, { ...noUsage, [name]: 1 }) === 0n);
    const counted = { ...units, ...Object.fromEntries(free.map((name) => [name, 0])) };
    return this.bill(counted, free.length < names.length);
  }

  /** Never more than the hold. */
  estimatedBill(outputTokens: number): Bill {
    return this.bill(this.#estimatedUsage(Math.min(outputTokens, this.#coveredTokens)), true);
  }

  /**
   * Ends the request. `response` is stored for repetitions; without it, a repetition is a new request. The promise only
   * needs to be awaited if a response is stored.
   */
  charge(bill: Bill, response?: string): Promise<unknown> {
    const decision = this.decide(bill, response);
    if (!this.#end(bill)) return Promise.resolve();
    return this.#submit(decision, response !== undefined);
  }

  /** What `charge` submits. */
  decide({ usage, estimated, costNano }: Bill, response?: string): Settle {
    const detail = this.#detail(usage, estimated);
    const held = response === undefined && this.storesResponse ? { ...this.#held, once: undefined } : this.#held;
    return { kind: 'settle', held, costNano, detail, tokens: tokensOf(usage), response };
  }

  /** Ends without a decision: another process may make it. If none does, the hold expires. */
  leave(): void {
    this.#end();
  }

  /** For a request that delivered nothing. The promise only needs to be awaited if it has an Idempotency-Key. */
  release(): Promise<unknown> {
    if (!this.#end()) return Promise.resolve();
    const decision = { kind: 'release', held: this.#held } as const;
    return this.#submit(decision, this.storesResponse);
  }

  /**
   * Makes sure that the hold covers what has been delivered; called for each chunk of a stream. Resolves to false if
   * the balance does not cover it: the response must end here, so that the balance does not go below zero. If Redis does
   * not reply, it rejects and the request is aborted.
   */
  covers(deliveredTokens: number): boolean | Promise<boolean> {
    return deliveredTokens <= this.#coveredTokens || this.#extend(deliveredTokens);
  }

  /** Redis was replaced and may not have this hold. */
  async renewNow(nowMs: number): Promise<void> {
    if (this.#holdIsLost(nowMs)) this.#abort('lease_lost');
    else if (this.#lease === undefined) await this.#renew(nowMs);
  }

  /** Called about every second with the monotonic time: renews the hold, and aborts the request if it must end. */
  async check(nowMs: number): Promise<void> {
    if (nowMs > (this.headersDueAtMs ?? nowMs)) this.abort.endAttempt('headers_timeout');
    if (nowMs - this.#options.heldAtMs > this.timeouts.totalMs) this.#abort('too_long');
    else if (nowMs - (this.lastBytesAtMs ?? nowMs) > this.timeouts.idleMs) this.#abort('idle');
    else if (this.#holdIsLost(nowMs)) this.#abort('lease_lost');
    else if (this.#lease !== undefined) {
      if (nowMs - this.#options.heldAtMs > promotedAfterMs) this.#lease.promote(this);
    } else if (this.#isUncovered || nowMs - this.#renewedAtMs > renewIntervalMs) await this.#renew(nowMs);
  }

  /** The hold may soon be expired, or already was: it must not be restored. */
  #holdIsLost(nowMs: number): boolean {
    if (this.#lease !== undefined) return !this.#lease.covers();
    return nowMs - this.#renewedAtMs > holdMs - fenceMs;
  }

  /** The provider ignores the output cap. Nothing is delivered that the hold does not cover. */
  async #extend(wantedTokens: number): Promise<boolean> {
    const tokens = Math.ceil(wantedTokens * extensionFactor) + extensionTokensMin;
    const price = maxOutputPrice(reachablePrices(this.#model, this.#promptTokensMax));
    const more = costOf([{ count: tokens - this.#coveredTokens, price }]);
    const amountNano = nanoUsd(this.#amountNano + more);
    const renewed = this.#lease?.promoteNow(this).then(() => this.#renewHold(amountNano));
    const result = await (renewed ?? this.#renewHold(amountNano)).catch((error: unknown) => {
      this.#abort('lease_lost');
      throw error;
    });
    if (!result.ok) return false;
    this.#amountNano = amountNano;
    this.#coveredTokens = tokens;
    return true;
  }

  async #renew(nowMs: number): Promise<void> {
    if (this.#renewing) return;
    this.#renewing = true;
    try {
      const result = await this.#renewHold(this.#amountNano);
      if (result.ok || result.reason === 'short') {
        this.#renewedAtMs = nowMs;
        this.#isUncovered = false;
        this.renewals += 1;
      } else if (result.reason === 'gone' && !this.#ended) this.#abort('lease_lost');
    } finally {
      this.#renewing = false;
    }
  }

  /** Stores what is charged if this proxy dies: a hold of this amount, and the cost of what was delivered so far. */
  async #renewHold(amountNano: NanoUsd): Promise<RenewResult> {
    const usage = this.#progress();
    const result = await this.#services.wallet.renew(this.#held, {
      amountNano,
      costNano: costOfUsage(this.#model, usage),
      detail: this.#detail(usage, true),
    });
    if (result.ok && result.epoch !== this.#held.epoch) this.#held = { ...this.#held, epoch: result.epoch };
    return result;
  }

  #abort(reason: AbortReason): void {
    if (!this.#ended) this.abort.abort(reason);
  }

  #submit(decision: Decision, isAwaited: boolean): Promise<unknown> {
    const settled = this.#endLease(decision) ?? this.#services.replayBuffer.submit(decision, { isAwaited });
    this.timeline.trace?.settles(settled);
    return settled;
  }

  /** Undefined if it has a hold of its own. */
  #endLease(decision: Decision): Promise<unknown> | undefined {
    const lease = this.#lease;
    if (lease === undefined) return undefined;
    // What others may use from the lease is not its own: it ends with a hold of its own.
    if (decision.kind === 'settle' && decision.costNano > this.#amountNano) lease.promote(this);
    else if (lease.leave(this, decision.kind === 'settle' ? decision : undefined)) return Promise.resolve();
    this.#ending = decision;
    return Promise.resolve();
  }

  #end(bill?: Bill): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    this.connection.end();
    if (this.#isAbandoned) this.#services.abandoned.release(this.accountId);
    this.#services.onEnd(this, bill);
    return true;
  }

  /** The usage to charge if this proxy dies. A request that fails before any output is free. */
  #progress(): Usage {
    const completionTokens = this.deliveredTokens();
    if (completionTokens === 0 && this.webSearches() === 0) return noUsage;
    return countPriced(this.#model, this.#estimatedUsage(completionTokens));
  }

  #estimatedUsage(completionTokens: number): Usage {
    const promptTokens = Math.min(this.meter?.promptTokens ?? 0, this.#promptTokensMax);
    const audioCompletionTokens = Math.min(this.deliveredAudioTokens(), completionTokens);
    const webSearches = this.webSearches();
    return this.#withoutUnasked({ ...noUsage, promptTokens, completionTokens, audioCompletionTokens, webSearches });
  }

  #detail(usage: Usage, estimated: boolean): string {
    const { deployment, startedAtMs } = this;
    const { dimensions } = this.#options;
    return chargeDetailOf({ model: this.#model, deployment, usage, estimated, startedAtMs, dimensions });
  }
}
