/** The health of deployments for Prometheus, collected on each scrape. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { deploymentStates } from '../../../../shared/health/deployment-health.ts';
import type { Deployments } from './deployments.ts';

export function registerHealthMetrics(registry: Registry, deployments: Deployments): void {
  const registers = [registry];
  const labelNames = ['deployment'];
  const snapshot = () => deployments.snapshot(Date.now());
  // Each metric is reset first, so that deployments no longer in the catalogue disappear.
  new Gauge({
    name: 'gateway_deployment_state',
    help: '1 for the current state of the deployment: closed (it gets requests), resting, open or half_open.',
    labelNames: [...labelNames, 'state'],
    registers,
    collect() {
      this.reset();
      for (const { deployment, state } of snapshot()) {
        for (const each of deploymentStates) this.set({ deployment, state: each }, each === state ? 1 : 0);
      }
    },
  });
  new Counter({
    name: 'gateway_deployment_requests_total',
    help: 'Requests sent to the deployment.',
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { deployment, requests } of snapshot()) this.inc({ deployment }, requests);
    },
  });
  new Counter({
    name: 'gateway_deployment_failures_total',
    help: 'Requests that failed at the deployment before any output.',
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { deployment, failures } of snapshot()) this.inc({ deployment }, failures);
    },
  });
  new Gauge({
    name: 'gateway_deployment_latency_seconds',
    help: 'Mean time until the deployment starts to respond, weighted towards recent requests.',
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { deployment, meanLatencyMs } of snapshot()) {
        if (meanLatencyMs !== null) this.set({ deployment }, meanLatencyMs / 1_000);
      }
    },
  });
}
