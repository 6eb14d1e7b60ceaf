/** What the catalogue file says about a deployment: its own facts, and those of its provider where it says nothing. */
import type { DeploymentFacts } from '../../shared/keys/data-policy.ts';
import { withoutUndefined } from '../../shared/members.ts';
import type { CatalogueFile, CatalogueFileModel } from './catalogue-file.ts';

export function factsOf(
  deployment: CatalogueFileModel['deployments'][number],
  providers: CatalogueFile['providers'],
): DeploymentFacts {
  const provider = providers.find(({ id }) => id === deployment.provider);
  return withoutUndefined({
    publicName: provider?.publicName,
    country: deployment.country ?? provider?.country,
    retentionDays: deployment.retentionDays ?? provider?.retentionDays,
    trains: deployment.trains ?? provider?.trains,
  });
}
