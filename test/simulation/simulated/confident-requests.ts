/**
 * Requests of one proxy that are sent before their hold is confirmed: several begin, the provider works on all of them,
 * and only then Redis replies. With the real `Confidence`.
 */
import { Confidence, type Expectation } from '../../../proxy/request/admission/confidence.ts';
import type { Reservation } from '../../../shared/wallet/reserve-reply.ts';
import type { ReserveRequest, Wallet } from '../../../shared/wallet/wallet.ts';
import type { Surroundings } from './surroundings.ts';
import type { TrueRequest } from './true-request.ts';

export interface ConfidentChecks {
  reserved(request: TrueRequest): void;
  sentConfidently(request: TrueRequest, stake: { unconfirmedNano: bigint; leftNano: bigint }): void;
}

/** The proxy that they belong to. */
interface ConfidentProxy {
  readonly wallet: Wallet;
  readonly requests: Set<TrueRequest>;
  look(): Promise<void>;
  begin(accountId: number, capTokens: number): Promise<TrueRequest>;
  newRequest(accountId: number, capTokens: number): TrueRequest;
  reserveRequestOf(request: TrueRequest): ReserveRequest;
  start(request: TrueRequest, held: { readonly keyId: number; readonly epoch: string }): void;
  releaseUnknown(request: TrueRequest): Promise<void>;
}

interface ConfidentSurroundings extends Surroundings {
  readonly checks: ConfidentChecks;
}

interface Unconfirmed {
  readonly request: TrueRequest;
  readonly reserveRequest: ReserveRequest;
  readonly held: Expectation;
  /** What the provider has produced in the meantime. */
  readonly earlyTokens: number;
}

export class ConfidentRequests {
  readonly #world: ConfidentSurroundings;
  readonly #proxy: ConfidentProxy;
  readonly #confidence: Confidence;
  /** What the last confirmed reserve of an account has left, by this proxy. */
  readonly #leftNano = new Map<number, bigint>();

  constructor(world: ConfidentSurroundings, proxy: ConfidentProxy) {
    this.#world = world;
    this.#proxy = proxy;
    const nowMs = () => world.elapsedMs;
    this.#confidence =
      world.mutant === "confidence without the account's sum" ? new SumlessConfidence(nowMs) : new Confidence(nowMs);
  }

  /** Requests without a reason to be confident begin as any other. */
  async begin(accountId: number, caps: readonly number[]): Promise<TrueRequest[]> {
    await this.#proxy.look();
    const requests: TrueRequest[] = [];
    const unconfirmed: Unconfirmed[] = [];
    for (const capTokens of caps) {
      const request = this.#proxy.newRequest(accountId, capTokens);
      const sent = this.#send(request, unconfirmed);
      if (sent === undefined) requests.push(await this.#proxy.begin(accountId, capTokens));
      else {
        unconfirmed.push(sent);
        requests.push(request);
      }
    }
    for (const each of unconfirmed) await this.#ask(each);
    return requests;
  }

  confirm(request: TrueRequest, reservation: Reservation): void {
    this.#confirm(this.#proxy.reserveRequestOf(request), request, reservation);
  }

  forgetAll(): void {
    if (this.#world.mutant !== 'confidence that survives another Redis') this.#confidence.clear();
  }

  #send(request: TrueRequest, others: readonly Unconfirmed[]): Unconfirmed | undefined {
    const reserveRequest = this.#reserveRequestOf(request);
    const held = this.#confidence.begin(reserveRequest);
    if (held === undefined) return undefined;
    const unconfirmedNano = others.reduce(
      (sum, other) => sum + other.reserveRequest.amountNano,
      reserveRequest.amountNano as bigint,
    );
    const leftNano = this.#leftNano.get(request.accountId) ?? 0n;
    this.#world.checks.sentConfidently(request, { unconfirmedNano, leftNano });
    this.#proxy.start(request, held);
    if (request.running !== undefined) request.running.isUnconfirmed = true;
    const earlyTokens = this.#world.random.integer(0, request.capTokens);
    if (this.#world.mutant === 'bytes before the confirmation') request.deliveredTokens = earlyTokens;
    return { request, reserveRequest, held, earlyTokens };
  }

  #reserveRequestOf(request: TrueRequest): ReserveRequest {
    const reserveRequest = this.#proxy.reserveRequestOf(request);
    return this.#world.mutant === 'confidence that survives another Redis'
      ? { ...reserveRequest, identity: 'any' }
      : reserveRequest;
  }

  /** Redis is queried, and its reply decides whether the client gets what the provider has produced. */
  async #ask({ request, reserveRequest, held, earlyTokens }: Unconfirmed): Promise<void> {
    let outcome: 'confirmed' | 'refused' = 'refused';
    try {
      const result = await this.#proxy.wallet.reserve(this.#proxy.reserveRequestOf(request));
      if (!result.ok) {
        this.#confidence.refuse(reserveRequest.keyHash, result.reason);
        this.#discard(request);
        return;
      }
      outcome = 'confirmed';
      this.#confirm(reserveRequest, request, result);
      this.#world.checks.reserved(request);
      request.running?.confirm(result);
      request.state = 'running';
      request.deliveredTokens = earlyTokens;
    } catch {
      this.#confidence.forget(reserveRequest.keyHash);
      this.#discard(request);
      await this.#proxy.releaseUnknown(request);
    } finally {
      this.#confidence.end(held, reserveRequest, outcome);
    }
  }

  #confirm(reserveRequest: ReserveRequest, { accountId }: TrueRequest, reservation: Reservation): void {
    const known =
      this.#world.mutant === 'confidence that survives another Redis'
        ? { ...reserveRequest, identity: 'any' }
        : reserveRequest;
    this.#confidence.confirm(known, reservation);
    if (reservation.leftNano !== undefined) this.#leftNano.set(accountId, reservation.leftNano);
  }

  #discard(request: TrueRequest): void {
    request.running?.discard();
    this.#proxy.requests.delete(request);
  }
}

/** Does not know what else of the account is unconfirmed. */
class SumlessConfidence extends Confidence {
  override begin(reserveRequest: ReserveRequest): Expectation | undefined {
    const held = super.begin(reserveRequest);
    if (held !== undefined) super.end(held, reserveRequest, 'confirmed');
    return held;
  }

  override end(): void {}
}
