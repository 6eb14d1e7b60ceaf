/** How providers do: by deployment, and for the deployments that are chosen at the top. */
import {
  type Dashboard,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { dashboard, datasource, graph, quantile } from './panels.ts';

const rate = '[$__rate_interval]';
const chosen = '{deployment=~"$deployment"}';

export function buildProviders(): Dashboard {
  const builder = dashboard('Gateway: providers', {
    uid: 'gateway-providers',
    description: 'State, failures and speed of deployments. docs/metrics.md describes the metrics.',
  });
  builder.withVariable(
    new QueryVariableBuilder('deployment')
      .label('Deployment')
      .datasource(datasource)
      .query('label_values(gateway_deployment_requests_total, deployment)')
      .refresh(VariableRefresh.OnTimeRangeChanged)
      .includeAll(true)
      .allValue('.+')
      .multi(true),
  );
  builder.withRow(new RowBuilder('Health'));
  for (const panel of health) builder.withPanel(panel);
  builder.withRow(new RowBuilder('Speed'));
  for (const panel of speed) builder.withPanel(panel);
  return builder.build();
}

const health = [
  graph({
    title: 'Requests by deployment',
    description: 'Attempts: a request that fails over counts at each deployment.',
    unit: 'reqps',
    queries: { '{{deployment}}': `sum by (deployment) (rate(gateway_deployment_requests_total${chosen}${rate}))` },
    isStacked: true,
  }),
  graph({
    title: 'Failures',
    description: 'Share of attempts that failed before any output. Above 10 % the alert DeploymentFailing fires.',
    unit: 'percentunit',
    queries: {
      '{{deployment}}':
        `sum by (deployment) (rate(gateway_deployment_failures_total${chosen}${rate}))` +
        ` / sum by (deployment) (rate(gateway_deployment_requests_total${chosen}${rate}))`,
    },
  }),
  graph({
    title: 'Proxies that do not use it',
    description: 'Open after failures, probing, or resting because the provider asked for a pause.',
    unit: 'short',
    queries: {
      '{{deployment}} {{state}}':
        'sum by (deployment, state) (gateway_deployment_state{deployment=~"$deployment", state!="closed"}) > 0',
    },
  }),
  graph({
    title: 'Requests without a deployment',
    description: 'Errors that a customer sees because of providers.',
    unit: 'reqps',
    queries: {
      '{{code}}': `sum by (code) (rate(gateway_errors_total{code=~"no_healthy_deployment|upstream_.+"}${rate}))`,
    },
  }),
];

const speed = [
  graph({
    title: 'Time to the first token, p50',
    description: 'Of streams, from the arrival of the request, earlier attempts included.',
    unit: 's',
    queries: { '{{deployment}}': quantile(0.5, 'gateway_time_to_first_token_seconds', 'deployment', chosen) },
  }),
  graph({
    title: 'Time to the first token, p95',
    description: 'Above ten seconds the alert SlowFirstToken fires.',
    unit: 's',
    queries: { '{{deployment}}': quantile(0.95, 'gateway_time_to_first_token_seconds', 'deployment', chosen) },
  }),
  graph({
    title: 'Tokens a second, p50',
    description: 'Output of a stream after its first token. A client that reads slowly slows it down.',
    unit: 'short',
    queries: { '{{deployment}}': quantile(0.5, 'gateway_output_tokens_per_second', 'deployment', chosen) },
  }),
  graph({
    title: 'Time until an answer begins',
    description: 'Mean over all requests, streamed or not, weighted towards recent ones.',
    unit: 's',
    queries: { '{{deployment}}': `avg by (deployment) (gateway_deployment_latency_seconds${chosen})` },
  }),
];
