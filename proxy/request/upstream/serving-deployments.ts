/** Which deployments of a model can serve a request: one with the Responses API of a provider serves no other. */
import { GatewayError } from '../../../shared/errors.ts';
import type { Call } from '../../nouns/call.ts';
import type { Deployment, Model } from '../../pricing/catalogue.ts';
import { adapterOf } from '../../providers/adapters.ts';

/** The model with those deployments only. Throws GatewayError `invalid_parameter` if there is none. */
export function servedFor(model: Model, call: Call): Model {
  const serves = ({ provider }: Deployment) =>
    adapterOf(provider.protocol).operations[model.kind]?.serves?.(call) ?? true;
  if (model.deployments.every(serves)) return model;
  const deployments = model.deployments.filter(serves);
  if (deployments.length > 0) return { ...model, deployments };
  throw new GatewayError('invalid_parameter', `'${model.id}' is only available from POST /v1/responses.`, {
    param: 'model',
  });
}
