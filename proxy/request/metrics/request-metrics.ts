/**
 * Counts and times requests for Prometheus. Every request passes here, so it only adds to numbers: no label is made, and
 * a stream is looked at once, when it has ended. Labels are from the catalogue or from lists in the source, never from a
 * client.
 */
import { monotonicMs } from '../../../shared/durations.ts';
import type { ErrorCode } from '../../../shared/errors.ts';
import { type NanoUsd, nanoUsd } from '../../../shared/money.ts';
import type { Bill } from '../../pricing/bill.ts';
import { FastHistogram } from './fast-histogram.ts';
import type { Timeline } from './timeline.ts';

/** A request that held money. */
interface EndedRequest {
  readonly timeline: Timeline;
  readonly modelId: string;
  /** `provider/upstream-model`; empty if none was asked. */
  readonly deployment: string;
  readonly connection: { readonly closed: boolean };
  deliveredTokens(): number;
}

/** What was charged for a model since the start. */
interface Charged {
  promptTokens: number;
  completionTokens: number;
  nano: NanoUsd;
}

/** Shown for a request whose client left before there was a status. */
export const clientLeftStatus = 499;
/** The speed of a shorter response says more about the network than about the model. */
const speedTokensMin = 8;

export class RequestMetrics {
  /** By model, which is empty if none was found, then by status. */
  readonly responses = new Map<string, Map<number, number>>();
  readonly errors = new Map<ErrorCode, number>();
  /** By model. */
  readonly charged = new Map<string, Charged>();
  readonly streams = { complete: 0, broken: 0, abandoned: 0 };
  readonly walletFailures = { reserve: 0, settle: 0, release: 0, draw: 0 };
  /** Requests that have begun, by where their money is from. */
  readonly begun = { lease: 0, wallet: 0 };
  readonly walletCalls = new FastHistogram({
    name: 'gateway_wallet_call_seconds',
    help: 'Calls of a wallet in Redis, including the wait to be batched with others.',
    label: 'call',
    buckets: [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
  });
  readonly added = new FastHistogram({
    name: 'gateway_added_seconds',
    help: "Time that the gateway adds: before a provider is called, and between the provider's output and its own.",
    label: 'part',
    buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1],
  });
  readonly durations = new FastHistogram({
    name: 'gateway_request_duration_seconds',
    help: 'From the arrival of a request that held money to the end of its answer.',
    label: 'kind',
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
  });
  readonly firstToken = new FastHistogram({
    name: 'gateway_time_to_first_token_seconds',
    help: 'From the arrival of a streamed request to the first token of its answer.',
    label: 'deployment',
    buckets: [0.1, 0.25, 0.5, 1, 1.5, 2.5, 5, 10, 20, 60],
  });
  readonly speed = new FastHistogram({
    name: 'gateway_output_tokens_per_second',
    help: 'Output tokens per second of a streamed response, after its first token.',
    label: 'deployment',
    buckets: [5, 10, 20, 30, 50, 75, 100, 150, 250, 500],
  });
  readonly #walletCalls = {
    reserve: this.walletCalls.series('reserve'),
    settle: this.walletCalls.series('settle'),
    release: this.walletCalls.series('release'),
    draw: this.walletCalls.series('draw'),
  };
  readonly #before = this.added.series('before_provider');
  readonly #after = this.added.series('after_provider');
  readonly #streamDuration = this.durations.series('stream');
  readonly #wholeDuration = this.durations.series('whole');

  /** The status has been decided; a stream may still fail. */
  responded(modelId: string, status: number): void {
    let statuses = this.responses.get(modelId);
    if (statuses === undefined) {
      statuses = new Map();
      this.responses.set(modelId, statuses);
    }
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }

  failed(code: ErrorCode): void {
    this.errors.set(code, (this.errors.get(code) ?? 0) + 1);
  }

  /** Redis has replied to a call that began at `sinceMs`, of the monotonic clock. */
  walletReplied(call: keyof RequestMetrics['walletFailures'], sinceMs: number): void {
    this.#walletCalls[call].observe((monotonicMs() - sinceMs) / 1_000);
  }

  /** `bill` is undefined if nothing is charged. */
  ended(request: EndedRequest, bill: Bill | undefined): void {
    const endedAtMs = monotonicMs();
    const { timeline, modelId } = request;
    const { arrivedAtMs, sentAtMs, respondedAtMs, deliveredAtMs = endedAtMs, isStream, isDeferred } = timeline;
    if (bill !== undefined) this.#addCharge(modelId, bill);
    if (isDeferred) return;
    (isStream ? this.#streamDuration : this.#wholeDuration).observe((endedAtMs - arrivedAtMs) / 1_000);
    if (sentAtMs !== undefined) this.#before.observe((sentAtMs - arrivedAtMs) / 1_000);
    if (isStream) this.#streamEnded(request, endedAtMs);
    if (bill !== undefined && respondedAtMs !== undefined) this.#after.observe((deliveredAtMs - respondedAtMs) / 1_000);
  }

  #streamEnded(request: EndedRequest, endedAtMs: number): void {
    const { timeline, deployment, connection } = request;
    const { arrivedAtMs, firstTokenAtMs } = timeline;
    this.streams[connection.closed ? 'abandoned' : timeline.isBroken ? 'broken' : 'complete'] += 1;
    if (firstTokenAtMs === undefined) return;
    this.firstToken.series(deployment).observe((firstTokenAtMs - arrivedAtMs) / 1_000);
    const [tokens, seconds] = [request.deliveredTokens(), (endedAtMs - firstTokenAtMs) / 1_000];
    if (tokens >= speedTokensMin && seconds > 0) this.speed.series(deployment).observe((tokens - 1) / seconds);
  }

  #addCharge(modelId: string, { usage, costNano }: Bill): void {
    let charged = this.charged.get(modelId);
    if (charged === undefined) {
      charged = { promptTokens: 0, completionTokens: 0, nano: nanoUsd(0n) };
      this.charged.set(modelId, charged);
    }
    charged.promptTokens += usage.promptTokens;
    charged.completionTokens += usage.completionTokens;
    charged.nano = nanoUsd(charged.nano + costNano);
  }
}
