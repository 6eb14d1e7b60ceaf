/** All requests of this process that hold money. */
import type { Log } from '../../shared/log.ts';
import type { Wallet } from '../../shared/wallet/wallet.ts';
import type { ReplayBuffer } from './replay-buffer.ts';
import { RunningRequest, type RunningRequestOptions } from './running-request.ts';

const abortedEndMs = 1_000;

export class RunningRequests {
  readonly #wallet: Wallet;
  readonly #replayBuffer: ReplayBuffer;
  readonly #log: Log;
  readonly #running = new Set<RunningRequest>();

  constructor(options: { wallet: Wallet; replayBuffer: ReplayBuffer; log: Log }) {
    this.#wallet = options.wallet;
    this.#replayBuffer = options.replayBuffer;
    this.#log = options.log;
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
    while (this.#running.size > 0 && Date.now() < until + abortedEndMs) await Bun.sleep(25);
  }

  /** After another Redis has answered, so that its holds are there again before they could be missed. */
  async renewAll(): Promise<void> {
    await Promise.all(
      [...this.#running].map((request) =>
        request.renewNow(Date.now()).catch((error: unknown) => {
          this.#log.warn({ requestId: request.requestId, err: error }, 'hold not renewed; will be tried again');
        }),
      ),
    );
  }

  /** Called about every second. */
  checkAll(nowMs: number): void {
    for (const request of this.#running) {
      request.check(nowMs).catch((error: unknown) => {
        this.#log.warn({ requestId: request.requestId, err: error }, 'hold not renewed; will be tried again');
      });
    }
  }
}
