/** All requests of this process that hold money. */
import { monotonicMs } from '../../../shared/durations.ts';
import type { Log } from '../../../shared/log.ts';
import { type NanoUsd, nanoUsd } from '../../../shared/money.ts';
import { type Shard, shardOfAccount } from '../../../shared/wallet/shard.ts';
import type { Wallet } from '../../../shared/wallet/wallet.ts';
import { OutputSpeeds } from '../../pricing/output-speed.ts';
import type { RequestMetrics } from '../metrics/request-metrics.ts';
import { AbandonedResponses } from '../response/abandoned-responses.ts';
import type { ReplayBuffer } from './replay-buffer.ts';
import { RunningRequest } from './running-request.ts';
import type { RunningRequestOptions, RunningServices } from './running-request-options.ts';

const abortedEndMs = 1_000;

export class RunningRequests {
  readonly #services: RunningServices<RunningRequest>;
  readonly #log: Log;
  readonly #running = new Set<RunningRequest>();
  readonly speeds = new OutputSpeeds();
  /** Whole responses that are read to their end although their clients have left. */
  readonly abandoned = new AbandonedResponses();

  constructor(options: { wallet: Wallet; replayBuffer: ReplayBuffer; metrics: RequestMetrics; log: Log }) {
    const { wallet, replayBuffer, metrics } = options;
    const onEnd: RunningServices<RunningRequest>['onEnd'] = (request, bill) => {
      this.#running.delete(request);
      const isMeasured = bill !== undefined && !bill.estimated && !request.timeline.isBatched;
      if (isMeasured) this.speeds.learn(request, bill.usage.completionTokens);
      metrics.ended(request, bill);
      request.timeline.trace?.ended(request.timeline, bill);
    };
    this.#services = { wallet, replayBuffer, abandoned: this.abandoned, speeds: this.speeds, onEnd };
    this.#log = options.log;
  }

  get size(): number {
    return this.#running.size;
  }

  /** What all of them hold. */
  get heldNano(): NanoUsd {
    let sum = 0n;
    for (const { heldNano } of this.#running) sum += heldNano;
    return nanoUsd(sum);
  }

  start(options: RunningRequestOptions): RunningRequest {
    const request = new RunningRequest(options, this.#services);
    this.#running.add(request);
    return request;
  }

  /** Waits `graceMs` for the running requests to end, then aborts the rest. */
  async drain(graceMs: number): Promise<void> {
    const until = Date.now() + graceMs;
    while (this.#running.size > 0 && Date.now() < until) await Bun.sleep(25);
    for (const request of this.#running) request.abort.abort('shutting_down');
    while (this.#running.size > 0 && Date.now() < until + abortedEndMs) await Bun.sleep(25);
  }

  /** Called when the Redis of these shards was replaced, to restore the holds before they are needed. */
  async renewAll(shards: ReadonlySet<Shard>): Promise<void> {
    const affected = [...this.#running].filter(({ accountId }) => shards.has(shardOfAccount(accountId)));
    await Promise.all(
      affected.map((request) =>
        request.renewNow(monotonicMs()).catch((error: unknown) => {
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
