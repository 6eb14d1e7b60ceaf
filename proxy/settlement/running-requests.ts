/** All requests of this process that hold money, and the one timer that looks after them. */
import type { Log } from '../../shared/log.ts';
import type { Wallet } from '../../shared/wallet/wallet.ts';
import type { ReplayBuffer } from './replay-buffer.ts';
import { RunningRequest, type RunningRequestOptions } from './running-request.ts';

const checkIntervalMs = 1_000;

export class RunningRequests {
  readonly #wallet: Wallet;
  readonly #replayBuffer: ReplayBuffer;
  readonly #log: Log;
  readonly #running = new Set<RunningRequest>();
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(options: { wallet: Wallet; replayBuffer: ReplayBuffer; log: Log }) {
    this.#wallet = options.wallet;
    this.#replayBuffer = options.replayBuffer;
    this.#log = options.log;
    this.#timer = setInterval(() => this.#checkAll(), checkIntervalMs);
  }

  get size(): number {
    return this.#running.size;
  }

  start(options: RunningRequestOptions): RunningRequest {
    const request = new RunningRequest(options, {
      wallet: this.#wallet,
      replayBuffer: this.#replayBuffer,
      onEnd: (ended) => this.#running.delete(ended),
    });
    this.#running.add(request);
    return request;
  }

  /** Lets the running requests end by themselves until the deadline, then aborts the rest. */
  async drain(deadlineMs: number): Promise<void> {
    const until = Date.now() + deadlineMs;
    while (this.#running.size > 0 && Date.now() < until) await Bun.sleep(25);
    for (const request of this.#running) request.abort.abort('shutting_down');
    while (this.#running.size > 0 && Date.now() < until + checkIntervalMs) await Bun.sleep(25);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #checkAll(): void {
    const nowMs = Date.now();
    for (const request of this.#running) {
      request.check(nowMs).catch((error: unknown) => {
        this.#log.warn({ requestId: request.requestId, err: error }, 'hold not renewed; will be tried again');
      });
    }
  }
}
