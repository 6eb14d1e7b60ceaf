/** What an operator looks at first: whether customers are served, how fast, and whether the money is in order. */
import { type Dashboard, RowBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { dashboard, graph, quantile, stat } from './panels.ts';

const rate = '[$__rate_interval]';

export function buildOverview(): Dashboard {
  const builder = dashboard('Gateway: overview', {
    uid: 'gateway-overview',
    description: 'Traffic, errors, latency, money and lag. docs/metrics.md describes the metrics.',
  });
  const panels = [
    ...now,
    new RowBuilder('Traffic and errors'),
    ...traffic,
    new RowBuilder('Latency'),
    ...latency,
    new RowBuilder('Money'),
    ...money,
    new RowBuilder('Lag and background work'),
    ...lag,
    new RowBuilder('Batches'),
    ...batches,
  ];
  for (const panel of panels) panel instanceof RowBuilder ? builder.withRow(panel) : builder.withPanel(panel);
  return builder.build();
}

const now = [
  stat({
    title: 'Proxies ready',
    description: 'Proxies whose /readyz reports ready.',
    unit: 'short',
    query: 'sum(gateway_ready)',
  }),
  stat({
    title: 'Requests a second',
    description: 'Requests to inference endpoints.',
    unit: 'reqps',
    query: `sum(rate(gateway_requests_total${rate}))`,
  }),
  stat({
    title: 'Server errors',
    description: 'Share of 5xx. Above 2 % the alert ManyServerErrors fires.',
    unit: 'percentunit',
    query: `(sum(rate(gateway_requests_total{status=~"5.."}${rate})) or vector(0)) / sum(rate(gateway_requests_total${rate}))`,
    redFrom: 0.02,
  }),
  stat({
    title: 'Charged per hour',
    description: 'Charges to customers, at the current rate.',
    unit: 'currencyUSD',
    query: `3600 * sum(rate(gateway_charged_usd_total${rate}))`,
  }),
  stat({
    title: 'Drift',
    description: 'Differences between wallets and ledger, and violations of its rules. Must be 0.',
    unit: 'short',
    query: 'sum(max by (kind) (gateway_drift_usd)) + max(gateway_violations)',
    redFrom: 0.000_000_001,
  }),
  stat({
    title: 'Oldest unbooked charge',
    description: 'How long it has been waiting for Postgres.',
    unit: 's',
    query: 'max(gateway_queue_oldest_age_seconds{queue="usage"})',
    redFrom: 60,
  }),
];

const traffic = [
  graph({
    title: 'Requests by status',
    description: 'A stream counts with the status that it began with; 499 means that the client left first.',
    unit: 'reqps',
    queries: { '{{status}}': `sum by (status) (rate(gateway_requests_total${rate}))` },
    isStacked: true,
  }),
  graph({
    title: 'Requests by model',
    description: 'The ten models with the most requests.',
    unit: 'reqps',
    queries: { '{{model}}': `topk(10, sum by (model) (rate(gateway_requests_total${rate})))` },
  }),
  graph({
    title: 'Errors by code',
    description: 'From all endpoints; docs/api.md explains the codes.',
    unit: 'reqps',
    queries: { '{{code}}': `sum by (code) (rate(gateway_errors_total${rate}))` },
  }),
  graph({
    title: 'Streams by outcome',
    description: 'Broken: they failed after they had begun. Abandoned: the client left.',
    unit: 'reqps',
    queries: { '{{outcome}}': `sum by (outcome) (rate(gateway_streams_total${rate}))` },
  }),
];

const latency = [
  graph({
    title: 'Time that the gateway adds',
    description: "Before a provider is asked, and between the provider's output and ours.",
    unit: 's',
    queries: {
      'p50 {{part}}': quantile(0.5, 'gateway_added_seconds', 'part'),
      'p99 {{part}}': quantile(0.99, 'gateway_added_seconds', 'part'),
    },
  }),
  graph({
    title: 'Time to the first token',
    description: 'Of all streams, from the arrival of the request.',
    unit: 's',
    queries: {
      p50: quantile(0.5, 'gateway_time_to_first_token_seconds'),
      p95: quantile(0.95, 'gateway_time_to_first_token_seconds'),
    },
  }),
  graph({
    title: 'Reserve and settle',
    description: '99th percentile, including the wait to be batched.',
    unit: 's',
    queries: { '{{call}}': quantile(0.99, 'gateway_wallet_call_seconds', 'call') },
  }),
  graph({
    title: 'Longest stop of the event loop',
    description: 'The program does nothing else during this time.',
    unit: 's',
    queries: { '{{job}} {{instance}}': 'gateway_event_loop_longest_stop_seconds' },
  }),
];

const money = [
  graph({
    title: 'Charged by model, per hour',
    description: 'The ten models that are charged most.',
    unit: 'currencyUSD',
    queries: { '{{model}}': `topk(10, 3600 * sum by (model) (rate(gateway_charged_usd_total${rate})))` },
    isStacked: true,
  }),
  graph({
    title: 'Held, leased and undrawn',
    description: 'The most that requests in flight can cost, what leases have, and what Redis has yet to charge.',
    unit: 'currencyUSD',
    queries: {
      held: 'sum(gateway_held_usd)',
      leased: 'sum(gateway_leased_usd)',
      undrawn: 'sum(gateway_undrawn_usd)',
    },
  }),
  graph({
    title: 'Where requests begin',
    description: 'From a lease, which asks nobody, or from the wallet in Redis.',
    unit: 'reqps',
    queries: { '{{from}}': `sum by (from) (rate(gateway_begun_requests_total${rate}))` },
  }),
  graph({
    title: 'Drift and violations',
    description: 'Of the last reconciliation. All must be 0.',
    unit: 'short',
    queries: { '{{kind}} in USD': 'max by (kind) (gateway_drift_usd)', violations: 'max(gateway_violations)' },
  }),
];

const lag = [
  graph({
    title: 'Oldest entry of each queue',
    description: 'Usage for the ledger, credits and keys for Redis, and mails.',
    unit: 's',
    queries: { '{{queue}}': 'max by (queue) (gateway_queue_oldest_age_seconds)' },
  }),
  graph({
    title: 'Charges not yet in Postgres',
    description: 'Kept by the proxies until they are. Those to be sent again exist only in a proxy.',
    unit: 'short',
    queries: { kept: 'sum(gateway_replay_buffer_decisions)', 'to be sent again': 'sum(gateway_resend_decisions)' },
  }),
  graph({
    title: "Share of Redis's memory",
    description: 'At 90 %, new requests are refused.',
    unit: 'percentunit',
    queries: { used: 'max(gateway_redis_memory_share)' },
  }),
  graph({
    title: 'Failures of background work',
    description: 'Steps that failed; each is repeated.',
    unit: 'short',
    queries: { '{{worker}}': 'sum by (worker) (increase(gateway_worker_failures_total[5m])) > 0' },
  }),
];

const batches = [
  graph({
    title: 'Lines of batches',
    description: 'By what came of an attempt. Postponed ones are tried again.',
    unit: 'reqps',
    queries: { '{{outcome}}': `sum by (outcome) (rate(gateway_batch_lines_total${rate}))` },
    isStacked: true,
  }),
  graph({
    title: 'Age of the oldest batch',
    description: 'Its requests fail after 24 hours.',
    unit: 's',
    queries: { age: 'max(gateway_oldest_batch_age_seconds)' },
  }),
];
