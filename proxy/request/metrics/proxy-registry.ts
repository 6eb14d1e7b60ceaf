/** What /metrics of the proxy shows beside the metrics of its process. What is counted as plain numbers elsewhere is read at each scrape. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { formatUsd, type NanoUsd } from '../../../shared/money.ts';
import type { Calibrations } from '../../pricing/calibration.ts';
import type { ResponseCache } from '../cache/response-cache.ts';
import type { ProxyServices } from '../services.ts';
import { registerHealthMetrics } from '../upstream/health/health-metrics.ts';
import type { BatchMetrics } from './batch-metrics.ts';
import type { RequestMetrics } from './request-metrics.ts';

/** `isReady` is what /readyz says. */
export function registerMetrics(registry: Registry, services: ProxyServices, isReady: () => boolean): void {
  registerState(registry, services, isReady);
  registerMoney(registry, services);
  registerRequests(registry, services.metrics);
  registerCache(registry, services.responseCache);
  registerBatches(registry, services.batchMetrics);
  registerHealthMetrics(registry, services.deployments);
  registerTokenRatios(registry, services.calibrations);
}

interface Description {
  readonly name: string;
  readonly help: string;
}

function gauge(registry: Registry, description: Description, read: () => number): void {
  new Gauge({
    ...description,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}

/** `read` returns all series. */
function counter<Label extends string>(
  registry: Registry,
  { labelNames, ...description }: Description & { readonly labelNames: readonly Label[] },
  read: () => Iterable<readonly [labels: Record<Label, string | number>, value: number]>,
): void {
  new Counter({
    ...description,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const [labels, value] of read()) this.inc(labels, value);
    },
  });
}

function registerState(registry: Registry, { settlement, bodies }: ProxyServices, isReady: () => boolean): void {
  const { running, replayBuffer, leases, redisWatch } = settlement;
  gauge(registry, { name: 'gateway_ready', help: '1 while /readyz reports ready, otherwise 0.' }, () =>
    isReady() ? 1 : 0,
  );
  gauge(
    registry,
    { name: 'gateway_running_requests', help: 'Requests in flight that hold money.' },
    () => running.size,
  );
  gauge(
    registry,
    { name: 'gateway_bodies_bytes', help: 'Memory of the bodies of requests in flight, limited by MAX_BODIES_BYTES.' },
    () => bodies.bytes,
  );
  gauge(
    registry,
    {
      name: 'gateway_abandoned_answers',
      help: 'Non-streamed responses that are read to the end after their client disconnected.',
    },
    () => running.abandoned.size,
  );
  gauge(
    registry,
    { name: 'gateway_replay_buffer_decisions', help: 'Charges not yet confirmed to be in Postgres.' },
    () => replayBuffer.size,
  );
  gauge(
    registry,
    { name: 'gateway_resend_decisions', help: 'Charges that Redis has not confirmed; they are resent.' },
    () => replayBuffer.waiting + leases.unconfirmed,
  );
  gauge(registry, { name: 'gateway_leases', help: 'Leases of this process.' }, () => leases.size);
  gauge(
    registry,
    {
      name: 'gateway_redis_memory_share',
      help: "The share of Redis's memory limit that is in use; at 0.9, new requests are refused.",
    },
    () => redisWatch.memoryShare,
  );
}

function registerCache(registry: Registry, { lookups, writes }: ResponseCache): void {
  counter(
    registry,
    {
      name: 'gateway_cache_lookups_total',
      help: 'Requests that looked for a stored response; unavailable: Redis did not reply in time.',
      labelNames: ['result'],
    },
    () => labelled('result', lookups),
  );
  counter(
    registry,
    {
      name: 'gateway_cache_writes_total',
      help: 'Responses that were to be stored; refused: not complete, too large, or no room for it in Redis.',
      labelNames: ['result'],
    },
    () => labelled('result', writes),
  );
}

function registerBatches(registry: Registry, metrics: BatchMetrics): void {
  gauge(registry, { name: 'gateway_batches', help: 'Batches that this proxy runs.' }, () => metrics.inFlight().batches);
  new Gauge({
    name: 'gateway_batch_lines',
    help: 'Lines of batches in flight: answered here one by one, or waiting for a batch of their provider.',
    labelNames: ['place'],
    registers: [registry],
    collect() {
      const { here, provider } = metrics.inFlight();
      this.set({ place: 'here' }, here);
      this.set({ place: 'provider' }, provider);
    },
  });
  gauge(
    registry,
    {
      name: 'gateway_oldest_batch_age_seconds',
      help: 'Age of the oldest batch of all organizations that has not ended; all proxies that run batches show the same.',
    },
    () => metrics.oldestAge,
  );
  counter(
    registry,
    {
      name: 'gateway_batch_lines_total',
      help: 'Lines of batches by what came of an attempt; postponed ones are tried again.',
      labelNames: ['outcome'],
    },
    () => labelled('outcome', metrics.lines),
  );
  counter(
    registry,
    {
      name: 'gateway_batch_failures_total',
      help: 'Failures of storage, Redis or a lease, while batches were looked for or while one was run.',
      labelNames: ['step'],
    },
    () => labelled('step', metrics.failures),
  );
}

function registerMoney(registry: Registry, { settlement, metrics }: ProxyServices): void {
  gauge(registry, { name: 'gateway_held_usd', help: 'What requests in flight hold, in US dollars.' }, () =>
    usd(settlement.running.heldNano),
  );
  gauge(
    registry,
    { name: 'gateway_leased_usd', help: 'What leases of this process have of their wallets, in US dollars.' },
    () => usd(settlement.leases.amountNano),
  );
  gauge(
    registry,
    {
      name: 'gateway_undrawn_usd',
      help: 'What requests of leases have cost and Redis has not charged yet: lost if this process is killed now.',
    },
    () => usd(settlement.leases.undrawnNano),
  );
  counter(
    registry,
    {
      name: 'gateway_begun_requests_total',
      help: 'Requests whose money was held, by where from: a lease of this process, or the wallet in Redis.',
      labelNames: ['from'],
    },
    () => labelled('from', metrics.begun),
  );
  counter(
    registry,
    { name: 'gateway_charged_usd_total', help: 'What customers were charged, in US dollars.', labelNames: ['model'] },
    () => [...metrics.charged].map(([model, { nano }]) => [{ model }, usd(nano)]),
  );
  counter(
    registry,
    { name: 'gateway_tokens_total', help: 'Tokens that customers were charged for.', labelNames: ['model', 'kind'] },
    () =>
      [...metrics.charged].flatMap(([model, { promptTokens, completionTokens }]) => [
        [{ model, kind: 'prompt' }, promptTokens],
        [{ model, kind: 'completion' }, completionTokens],
      ]),
  );
}

function registerRequests(registry: Registry, metrics: RequestMetrics): void {
  counter(
    registry,
    {
      name: 'gateway_requests_total',
      help: 'Requests to inference endpoints. The model is empty if the request did not name an existing one.',
      labelNames: ['model', 'status'],
    },
    () =>
      [...metrics.responses].flatMap(([model, statuses]) =>
        [...statuses].map(([status, requests]) => [{ model, status }, requests] as const),
      ),
  );
  counter(
    registry,
    { name: 'gateway_errors_total', help: 'Errors in responses of all endpoints, by code.', labelNames: ['code'] },
    () => [...metrics.errors].map(([code, errors]) => [{ code }, errors]),
  );
  counter(
    registry,
    { name: 'gateway_streams_total', help: 'Streamed responses by how they ended.', labelNames: ['outcome'] },
    () => labelled('outcome', metrics.streams),
  );
  counter(
    registry,
    {
      name: 'gateway_wallet_failures_total',
      help: 'Wallet calls without a reply from Redis, whose outcome is unknown.',
      labelNames: ['call'],
    },
    () => labelled('call', metrics.walletFailures),
  );
  const { walletCalls, added, durations, firstToken, speed } = metrics;
  for (const histogram of [walletCalls, added, durations, firstToken, speed]) registry.registerMetric(histogram);
}

function registerTokenRatios(registry: Registry, calibrations: Calibrations): void {
  new Gauge({
    name: 'gateway_token_ratio',
    help: 'Tokens that a deployment reports for one of o200k_base: the median over accounts.',
    labelNames: ['deployment', 'script'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { ratio, ...labels } of calibrations.measured()) this.set(labels, ratio);
    },
  });
}

function* labelled<Label extends string>(
  label: Label,
  counts: Readonly<Record<string, number>>,
): Generator<readonly [labels: Record<Label, string>, value: number]> {
  for (const [value, count] of Object.entries(counts)) yield [{ [label]: value } as Record<Label, string>, count];
}

function usd(amount: NanoUsd): number {
  return Number(formatUsd(amount));
}
