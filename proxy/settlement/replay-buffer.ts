/**
 * The second holder of every charge: what has been decided about a request is kept here from before it is sent to
 * Redis until Redis has confirmed it, and is sent again until then. The scripts make a repetition harmless.
 *
 * Never evicts. Where it is full, the program is not ready and takes no new request.
 */
import type { Log } from '../../shared/log.ts';
import type { NanoUsd } from '../../shared/money.ts';
import type { HeldRequest, Wallet } from '../../shared/wallet/wallet.ts';

export type Decision =
  | { readonly kind: 'settle'; readonly held: HeldRequest; readonly costNano: NanoUsd; readonly detail: string }
  | { readonly kind: 'release'; readonly held: Pick<HeldRequest, 'requestId' | 'shard'> };

const decisionsMax = 100_000;
const resendIntervalMs = 500;
const resendAtOnceMax = 64;

export class ReplayBuffer {
  readonly #wallet: Wallet;
  readonly #log: Log;
  readonly #decisions = new Map<string, Decision>();
  /** Decisions whose sending has failed at least once. */
  readonly #unconfirmed = new Set<string>();
  readonly #timer: ReturnType<typeof setInterval>;
  #resending = false;

  constructor(options: { wallet: Wallet; log: Log }) {
    this.#wallet = options.wallet;
    this.#log = options.log;
    this.#timer = setInterval(() => void this.#resend(), resendIntervalMs);
  }

  get full(): boolean {
    return this.#decisions.size >= decisionsMax;
  }

  get size(): number {
    return this.#decisions.size;
  }

  /** Resolves when Redis has confirmed it, or has failed to: then it is sent again until it does. Never rejects. */
  async submit(decision: Decision): Promise<void> {
    const { requestId } = decision.held;
    this.#decisions.set(requestId, decision);
    try {
      await this.#send(decision);
      this.#decisions.delete(requestId);
    } catch (error) {
      this.#unconfirmed.add(requestId);
      this.#log.warn({ requestId, kind: decision.kind, err: error }, 'not confirmed by Redis; will be sent again');
    }
  }

  /** Sends what is left; resolves to true when nothing is. */
  async flush(deadlineMs: number): Promise<boolean> {
    const until = Date.now() + deadlineMs;
    while (this.#decisions.size > 0 && Date.now() < until) {
      await this.#resend();
      if (this.#decisions.size > 0) await Bun.sleep(Math.min(50, resendIntervalMs));
    }
    return this.#decisions.size === 0;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #send(decision: Decision): Promise<void> {
    return decision.kind === 'settle'
      ? this.#wallet.settle(decision.held, decision)
      : this.#wallet.release(decision.held);
  }

  async #resend(): Promise<void> {
    if (this.#resending || this.#unconfirmed.size === 0) return;
    this.#resending = true;
    try {
      const batch = [...this.#unconfirmed].slice(0, resendAtOnceMax);
      await Promise.all(batch.map((requestId) => this.#resendOne(requestId)));
    } finally {
      this.#resending = false;
    }
  }

  async #resendOne(requestId: string): Promise<void> {
    const decision = this.#decisions.get(requestId);
    if (decision === undefined) return;
    try {
      await this.#send(decision);
      this.#decisions.delete(requestId);
      this.#unconfirmed.delete(requestId);
    } catch (error) {
      this.#log.debug({ requestId, err: error }, 'still not confirmed by Redis');
    }
  }
}
