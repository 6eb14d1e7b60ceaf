/** Looks up the model that a caller names, in the current catalogue. */
import { GatewayError } from '../../shared/errors.ts';
import type { Catalogue, Model } from './catalogue.ts';
import type { CatalogueWatch } from './watch-catalogue.ts';

/** No model has a longer name, and an error message need not repeat all of it. */
const nameMaxCharacters = 128;

/** Throws GatewayError `no_healthy_deployment` until the first catalogue is loaded. */
export function currentCatalogue(watch: CatalogueWatch): Catalogue {
  const catalogue = watch.current();
  if (catalogue !== undefined) return catalogue;
  throw notLoadedYet();
}

export function notLoadedYet(): GatewayError {
  return new GatewayError('no_healthy_deployment', 'The catalogue is not loaded yet. Please retry.', {
    retryAfterSeconds: 1,
  });
}

/** One that is served. Throws GatewayError `model_not_found` or `no_healthy_deployment`. */
export function findModel(watch: CatalogueWatch, id: string): Model {
  const model = findIn(currentCatalogue(watch), id);
  refuseRetired(model);
  return model;
}

/** One that is served or has retired. Throws GatewayError `model_not_found`. */
export function findIn(catalogue: Catalogue, id: string, param = 'model'): Model {
  const model = catalogue.models.get(id);
  if (model !== undefined) return model;
  throw modelNotFound(id, param);
}

export function modelNotFound(id: string, param = 'model'): GatewayError {
  return new GatewayError(
    'model_not_found',
    `The model '${shortened(id)}' does not exist. GET /v1/models lists all models.`,
    { param },
  );
}

export function hasRetired({ retiresAtMs }: Model): boolean {
  return retiresAtMs !== undefined && Date.now() >= retiresAtMs;
}

/** Throws GatewayError `model_not_found`. */
export function refuseRetired(model: Model, param = 'model'): void {
  if (!hasRetired(model)) return;
  throw new GatewayError(
    'model_not_found',
    `The model '${model.id}' was retired on ${model.retiresAt}. GET /v1/models lists all models.`,
    { param },
  );
}

function shortened(id: string): string {
  return id.length > nameMaxCharacters ? `${id.slice(0, nameMaxCharacters)}…` : id;
}
