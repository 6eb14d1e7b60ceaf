/** What all replicas together know of each deployment. Each replica observes for itself, since it started. */
import type { Health, ReplicaDeployment } from './queries.ts';

export type CircuitState = ReplicaDeployment['state'];

/** The worst one first. */
const states: readonly CircuitState[] = ['open', 'half_open', 'resting', 'closed'];

export interface DeploymentView {
  readonly deployment: string;
  /** How many replicas see it in each state; the worst state first, without those that none sees. */
  readonly states: readonly { readonly state: CircuitState; readonly replicas: number }[];
  readonly requests: number;
  readonly failures: number;
  /** Null before the first response. */
  readonly meanLatencyMs: number | null;
  readonly lastFailure: ReplicaDeployment['lastFailure'];
  /** When a replica that sends nothing to it begins again; null if all send. */
  readonly readyAt: string | null;
}

/** Those in trouble first, then by name. */
export function viewDeployments({ replicas }: Health): DeploymentView[] {
  const byName = Map.groupBy(
    replicas.flatMap(({ deployments }) => deployments),
    ({ deployment }) => deployment,
  );
  return [...byName]
    .map(([deployment, seen]) => view(deployment, seen))
    .sort((one, other) => rankOf(one) - rankOf(other) || one.deployment.localeCompare(other.deployment));
}

/** Whether a replica sends nothing to it, or only a trial. */
export const isTroubled = (view: DeploymentView): boolean => view.states.some(({ state }) => state !== 'closed');

function view(deployment: string, seen: readonly ReplicaDeployment[]): DeploymentView {
  const sum = (count: (one: ReplicaDeployment) => number) => seen.reduce((total, one) => total + count(one), 0);
  const newest = seen
    .flatMap(({ lastFailure }) => lastFailure ?? [])
    .sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
  const ready = seen.flatMap(({ readyAt }) => readyAt ?? []).sort();
  return {
    deployment,
    states: states
      .map((state) => ({ state, replicas: seen.filter((one) => one.state === state).length }))
      .filter(({ replicas }) => replicas > 0),
    requests: sum(({ requests }) => requests),
    failures: sum(({ failures }) => failures),
    meanLatencyMs: meanLatency(seen),
    lastFailure: newest[0] ?? null,
    readyAt: ready[0] ?? null,
  };
}

/** Replicas weigh as much as the requests that they sent. */
function meanLatency(seen: readonly ReplicaDeployment[]): number | null {
  const measured = seen.flatMap(({ meanLatencyMs, requests }) =>
    meanLatencyMs === null ? [] : [{ meanLatencyMs, weight: Math.max(requests, 1) }],
  );
  const weight = measured.reduce((total, one) => total + one.weight, 0);
  if (weight === 0) return null;
  return Math.round(measured.reduce((total, one) => total + one.meanLatencyMs * one.weight, 0) / weight);
}

const rankOf = ({ states: [worst] }: DeploymentView): number =>
  worst === undefined ? states.length : states.indexOf(worst.state);
