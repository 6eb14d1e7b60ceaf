/** The deployments' health for Prometheus, read when it is asked for. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { deploymentStates } from '../../../shared/health/deployment-health.ts';
import type { Deployments } from './deployments.ts';

export function registerHealthMetrics(registry: Registry, deployments: Deployments): void {
  const registers = [registry];
  const labelNames = ['deployment'];
  const snapshot = () => deployments.snapshot(Date.now());
  // Each one begins anew, so that deployments that no catalogue names any more vanish.
  new Gauge({
    name: 'gateway_deployment_state',
    help: '1 for the state that the deployment is in: closed (it is asked), resting, open or half_open.',
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
    help: 'Requests that the deployment was asked.',
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { deployment, requests } of snapshot()) this.inc({ deployment }, requests);
    },
  });
  new Counter({
    name: 'gateway_deployment_failures_total',
    help: 'Requests that the deployment has failed before it gave any output.',
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { deployment, failures } of snapshot()) this.inc({ deployment }, failures);
    },
  });
  new Gauge({
    name: 'gateway_deployment_latency_seconds',
    help: 'Mean time until the deployment has begun to answer; the newest requests weigh most.',
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
