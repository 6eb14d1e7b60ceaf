/** What a catalogue file says about batches, and what is wrong with that. */
import type { ModelKind } from '../../shared/catalogue/model-kinds.ts';
import { servesBatches } from '../../shared/catalogue/published-catalogue.ts';
import type { CatalogueFile, CatalogueFileModel } from './catalogue-file.ts';
import { factsOf } from './deployment-facts.ts';

/** Those of the endpoints that batches can call. */
const kindsOfBatches: readonly ModelKind[] = ['chat', 'completion', 'embedding', 'moderation'];

export function findBadBatches({ providers, models }: CatalogueFile): string[] {
  return models.flatMap((model) => [
    ...findMisplaced(model),
    ...model.deployments
      .filter(({ batches }) => batches === true)
      .flatMap((deployment) => findUnserved(model, deployment, providers)),
  ]);
}

function findMisplaced({ id, kind, batchDiscount, deployments }: CatalogueFileModel): string[] {
  if (kindsOfBatches.includes(kind)) return [];
  const named = [
    ...(batchDiscount === undefined ? [] : ['batchDiscount']),
    ...(deployments.some(({ batches }) => batches === true) ? ['batches'] : []),
  ];
  return named.map(
    (name) => `model ${id}: ${name} is for models of the kinds ${kindsOfBatches.join(', ')}, not ${kind}`,
  );
}

/** Providers store the lines of their batches until the results are read. */
function findUnserved(
  { id }: CatalogueFileModel,
  deployment: CatalogueFileModel['deployments'][number],
  providers: CatalogueFile['providers'],
): string[] {
  const provider = providers.find((each) => each.id === deployment.provider);
  if (provider === undefined) return [];
  return [
    ...(servesBatches(provider.protocol)
      ? []
      : [`model ${id}: batches is not for ${provider.id}, which speaks ${provider.protocol}`]),
    ...(factsOf(deployment, providers).retentionDays === 0
      ? [`model ${id}: ${provider.id} has retentionDays 0, but stores what it runs as a batch`]
      : []),
  ];
}
