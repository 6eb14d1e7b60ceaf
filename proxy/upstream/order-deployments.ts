/** The order in which deployments are tried: by priority, and weighted random within the same priority. */
import type { Deployment } from '../catalogue/catalogue.ts';

/** `deployments` are sorted by priority, lowest first. */
export function orderDeployments(deployments: readonly Deployment[]): readonly Deployment[] {
  if (deployments.length < 2) return deployments;
  // Sorting by random^(1/weight) samples without replacement, in proportion to weights (Efraimidis and Spirakis, 2006).
  return deployments
    .map((deployment) => ({ deployment, draw: Math.random() ** (1 / deployment.weight) }))
    .sort((one, other) => one.deployment.priority - other.deployment.priority || other.draw - one.draw)
    .map(({ deployment }) => deployment);
}
