/** The health of deployments as seen by this process: their circuits, and the statistics for operators. */
import type { DeploymentHealth } from '../../../../shared/health/deployment-health.ts';
import type { UpstreamFailure } from '../../../nouns/upstream-failure.ts';
import { Circuit, type Pass } from './circuit.ts';
import { LimitedAccounts, verdictOn } from './verdict.ts';

/** It takes people to fix a key or an account at a provider. */
const lockedOutMs = 60_000;
/** The weight of the newest latency in the mean. */
const latencyWeight = 0.1;

interface Stats {
  readonly circuit: Circuit;
  readonly limited: LimitedAccounts;
  requests: number;
  failures: number;
  meanLatencyMs: number | undefined;
  /** Of streams alone: until their first token. */
  meanFirstTokenMs: number | undefined;
  lastFailure: { reason: string; atMs: number } | undefined;
}

interface Success {
  readonly nowMs: number;
  /** Until the response began. */
  readonly latencyMs: number;
  readonly isStream: boolean;
}

export class Deployments {
  readonly #stats = new Map<string, Stats>();

  /** Undefined if the deployment may not be used now. */
  admit(name: string, nowMs: number): Pass | undefined {
    const stats = this.#of(name);
    const pass = stats.circuit.admit(nowMs);
    if (pass !== undefined) stats.requests += 1;
    return pass;
  }

  readyAtMs(name: string): number {
    return this.#stats.get(name)?.circuit.readyAtMs ?? 0;
  }

  succeeded(name: string, pass: Pass, { nowMs, latencyMs, isStream }: Success): void {
    const stats = this.#of(name);
    stats.circuit.succeeded(pass, nowMs);
    stats.meanLatencyMs = meanWith(stats.meanLatencyMs, latencyMs);
    if (isStream) stats.meanFirstTokenMs = meanWith(stats.meanFirstTokenMs, latencyMs);
  }

  /** Mean milliseconds to the first token of streamed responses; undefined if there were none. */
  firstTokenMsOf(name: string): number | undefined {
    return this.#stats.get(name)?.meanFirstTokenMs;
  }

  /** `accountId` is the account that sent the request. */
  failed(
    name: string,
    pass: Pass,
    { nowMs, failure, accountId }: { nowMs: number; failure: UpstreamFailure; accountId: number },
  ): void {
    const stats = this.#of(name);
    const { circuit, limited } = stats;
    const verdict = verdictOn(failure);
    if (verdict !== 'alive') {
      stats.failures += 1;
      stats.lastFailure = { reason: describe(failure), atMs: nowMs };
    }
    if (verdict === 'alive') circuit.succeeded(pass, nowMs);
    else if (verdict === 'exhausted' || (verdict === 'limited' && limited.areSeveral(accountId, nowMs)))
      circuit.pauseRequested(pass, nowMs, failure.retryAfterMs);
    else if (verdict === 'locked_out') circuit.failed(pass, nowMs, lockedOutMs);
    else if (verdict === 'failed') circuit.failed(pass, nowMs);
    else circuit.abandoned(pass, nowMs);
  }

  /** The client left, or the request was never sent. */
  abandoned(name: string, pass: Pass, nowMs: number): void {
    this.#of(name).circuit.abandoned(pass, nowMs);
  }

  /** Forgets deployments that are no longer in the catalogue. */
  keepOnly(names: ReadonlySet<string>): void {
    for (const name of this.#stats.keys()) if (!names.has(name)) this.#stats.delete(name);
  }

  snapshot(nowMs: number): DeploymentHealth[] {
    return [...this.#stats].map(([deployment, { circuit, requests, failures, meanLatencyMs, lastFailure }]) => ({
      deployment,
      state: circuit.state === 'closed' && circuit.readyAtMs > nowMs ? 'resting' : circuit.state,
      requests,
      failures,
      meanLatencyMs: meanLatencyMs === undefined ? null : Math.round(meanLatencyMs),
      lastFailure: lastFailure ?? null,
      readyAtMs: circuit.readyAtMs > nowMs ? Math.ceil(circuit.readyAtMs) : null,
    }));
  }

  #of(name: string): Stats {
    let stats = this.#stats.get(name);
    if (stats === undefined) {
      const unused = {
        requests: 0,
        failures: 0,
        meanLatencyMs: undefined,
        meanFirstTokenMs: undefined,
        lastFailure: undefined,
      };
      stats = { circuit: new Circuit(), limited: new LimitedAccounts(), ...unused };
      this.#stats.set(name, stats);
    }
    return stats;
  }
}

function meanWith(mean: number | undefined, newestMs: number): number {
  return mean === undefined ? newestMs : mean + (newestMs - mean) * latencyWeight;
}

/** Never the provider's message, which may contain our key. */
function describe({ reason, status, problem }: UpstreamFailure): string {
  if (problem !== undefined) return problem;
  return status === undefined ? reason : `${reason} (${status})`;
}
