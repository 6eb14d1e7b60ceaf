/** In which order the deployments of a model are tried. */
import type { Preferences } from '../../nouns/requests/routing.ts';
import type { Deployment } from '../../pricing/catalogue.ts';
import { drawFor } from './conversation.ts';

/** What was measured of a deployment, by its name; undefined if nothing was yet. */
export interface Measurements {
  readonly latencies: {
    /** Mean milliseconds until a streamed response begins. */
    firstTokenMsOf(name: string): number | undefined;
  };
  readonly speeds: {
    /** Tokens a second. */
    measuredSpeedOf(name: string): number | undefined;
  };
}

export interface Ordering extends Measurements {
  readonly accountId: number;
  /** That stays with its deployment, while that is healthy. */
  readonly conversation: bigint | undefined;
  readonly preferences: Preferences | undefined;
}

/** Compared member by member; lower comes first. */
type Rank = readonly [preferred: number, measured: number, priority: number, draw: number];

/**
 * By what the client prefers, then by priority, and weighted by chance within the same priority, or by the conversation where
 * there is one.
 */
export function orderDeployments(deployments: readonly Deployment[], ordering: Ordering): readonly Deployment[] {
  if (deployments.length < 2) return deployments;
  const ordered = deployments
    .map((deployment) => ({ deployment, rank: rankOf(deployment, ordering) }))
    .sort((one, other) => compareRanks(one.rank, other.rank))
    .map(({ deployment }) => deployment);
  const { preferences } = ordering;
  const triesOne = preferences !== undefined && !preferences.allowsFallbacks && preferences.order.length === 0;
  return triesOne ? ordered.slice(0, 1) : ordered;
}

function rankOf(deployment: Deployment, ordering: Ordering): Rank {
  const { accountId, conversation, preferences } = ordering;
  const draw = conversation === undefined ? Math.random() : drawFor(conversation, accountId, deployment);
  // Sorting by random^(1/weight) samples without replacement, in proportion to weights (Efraimidis and Spirakis, 2006).
  const weighted = -(draw ** (1 / deployment.weight));
  if (preferences === undefined) return [0, 0, deployment.priority, weighted];
  return [
    placeIn(preferences.order, deployment),
    measureOf(deployment, preferences, ordering),
    deployment.priority,
    weighted,
  ];
}

function placeIn(order: readonly string[], { publicName }: Deployment): number {
  const place = publicName === undefined ? -1 : order.indexOf(publicName);
  return place === -1 ? order.length : place;
}

/** One that was not measured yet comes first, and is measured by it. */
function measureOf({ name }: Deployment, { sort }: Preferences, { latencies, speeds }: Measurements): number {
  if (sort === 'latency') return latencies.firstTokenMsOf(name) ?? 0;
  if (sort === 'throughput') return -(speeds.measuredSpeedOf(name) ?? Number.MAX_VALUE);
  return 0;
}

function compareRanks(one: Rank, other: Rank): number {
  const place = one.findIndex((member, index) => member !== other[index]);
  return place === -1 ? 0 : (one[place] ?? 0) - (other[place] ?? 0);
}
