/** The deployments as this process has experienced them: their circuits, and the figures that operators look at. */
import type { DeploymentHealth } from '../../../shared/health/deployment-health.ts';
import type { UpstreamFailure } from '../upstream-failure.ts';
import { Circuit, type Pass } from './circuit.ts';
import { LimitedAccounts } from './limited-accounts.ts';
import { verdictOn } from './verdict.ts';

/** A key or an account with a provider is mended by people. */
const lockedOutMs = 60_000;
/** The weight of the newest latency in the mean. */
const latencyWeight = 0.1;

interface Figures {
  readonly circuit: Circuit;
  readonly limited: LimitedAccounts;
  requests: number;
  failures: number;
  meanLatencyMs: number | undefined;
  lastFailure: { reason: string; atMs: number } | undefined;
}

export class Deployments {
  readonly #figures = new Map<string, Figures>();

  /** Undefined where the deployment is not to be asked now. */
  admit(name: string, nowMs: number): Pass | undefined {
    const figures = this.#of(name);
    const pass = figures.circuit.admit(nowMs);
    if (pass !== undefined) figures.requests += 1;
    return pass;
  }

  readyAtMs(name: string): number {
    return this.#figures.get(name)?.circuit.readyAtMs ?? 0;
  }

  succeeded(name: string, pass: Pass, { nowMs, latencyMs }: { nowMs: number; latencyMs: number }): void {
    const figures = this.#of(name);
    figures.circuit.succeeded(pass, nowMs);
    const mean = figures.meanLatencyMs ?? latencyMs;
    figures.meanLatencyMs = mean + (latencyMs - mean) * latencyWeight;
  }

  /** `accountId` is whose request it was. */
  failed(
    name: string,
    pass: Pass,
    { nowMs, failure, accountId }: { nowMs: number; failure: UpstreamFailure; accountId: number },
  ): void {
    const figures = this.#of(name);
    const { circuit, limited } = figures;
    const verdict = verdictOn(failure);
    if (verdict !== 'alive') {
      figures.failures += 1;
      figures.lastFailure = { reason: describe(failure), atMs: nowMs };
    }
    if (verdict === 'alive') circuit.succeeded(pass, nowMs);
    else if (verdict === 'exhausted' || (verdict === 'limited' && limited.areSeveral(accountId, nowMs)))
      circuit.askedToRest(pass, nowMs, failure.retryAfterMs);
    else if (verdict === 'locked_out') circuit.failed(pass, nowMs, lockedOutMs);
    else if (verdict === 'failed') circuit.failed(pass, nowMs);
    else circuit.abandoned(pass, nowMs);
  }

  /** The client has left, or the request was not sent at all. */
  abandoned(name: string, pass: Pass, nowMs: number): void {
    this.#of(name).circuit.abandoned(pass, nowMs);
  }

  /** Deployments that no catalogue names any more are forgotten. */
  keepOnly(names: ReadonlySet<string>): void {
    for (const name of this.#figures.keys()) if (!names.has(name)) this.#figures.delete(name);
  }

  snapshot(nowMs: number): DeploymentHealth[] {
    return [...this.#figures].map(([deployment, { circuit, requests, failures, meanLatencyMs, lastFailure }]) => ({
      deployment,
      state: circuit.state === 'closed' && circuit.readyAtMs > nowMs ? 'resting' : circuit.state,
      requests,
      failures,
      meanLatencyMs: meanLatencyMs === undefined ? null : Math.round(meanLatencyMs),
      lastFailure: lastFailure ?? null,
      readyAtMs: circuit.readyAtMs > nowMs ? Math.ceil(circuit.readyAtMs) : null,
    }));
  }

  #of(name: string): Figures {
    let figures = this.#figures.get(name);
    if (figures === undefined) {
      const unasked = { requests: 0, failures: 0, meanLatencyMs: undefined, lastFailure: undefined };
      figures = { circuit: new Circuit(), limited: new LimitedAccounts(), ...unasked };
      this.#figures.set(name, figures);
    }
    return figures;
  }
}

/** Never the provider's own words, which may speak of our key. */
function describe({ reason, status, problem }: UpstreamFailure): string {
  if (problem !== undefined) return problem;
  return status === undefined ? reason : `${reason} (${status})`;
}
