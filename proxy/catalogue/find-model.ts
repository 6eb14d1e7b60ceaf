/** The model that a caller names, in the catalogue in force. */
import { GatewayError } from '../../shared/errors.ts';
import type { Catalogue, Model } from './catalogue.ts';
import type { CatalogueWatch } from './watch-catalogue.ts';

/** A name that is longer is none of ours, and whoever sent it does not need all of it back. */
const nameMaxCharacters = 128;

/** Throws GatewayError `no_healthy_deployment` before the first catalogue has come. */
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

/** Throws GatewayError `model_not_found` too. */
export function findModel(watch: CatalogueWatch, id: string): Model {
  const model = currentCatalogue(watch).models.get(id);
  if (model !== undefined) return model;
  throw modelNotFound(id);
}

export function modelNotFound(id: string): GatewayError {
  return new GatewayError(
    'model_not_found',
    `The model '${shortened(id)}' does not exist. GET /v1/models lists all models.`,
    {
      param: 'model',
    },
  );
}

function shortened(id: string): string {
  return id.length > nameMaxCharacters ? `${id.slice(0, nameMaxCharacters)}…` : id;
}
