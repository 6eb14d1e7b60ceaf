/** The calls with which lines become a batch of their provider. */
import type { Deployment } from '../../pricing/catalogue.ts';
import { currentCatalogue } from '../../pricing/find-model.ts';
import { adapterOf } from '../../providers/adapters.ts';
import type { BatchApi } from '../../providers/batch-api.ts';
import type { ProxyServices } from '../../request/services.ts';
import { ProviderCalls } from './provider-calls.ts';

/** Undefined if its protocol has no batches. */
export function batchApiOf(
  { credentials }: Pick<ProxyServices, 'credentials'>,
  deployment: Deployment,
): BatchApi | undefined {
  const { batches: protocol } = adapterOf(deployment.provider.protocol);
  return protocol?.open(new ProviderCalls(credentials, protocol, deployment));
}

/** Of a deployment that was sent a batch before; undefined if the catalogue no longer has it. Throws until that is loaded. */
export function findBatchApi(
  services: Pick<ProxyServices, 'credentials' | 'catalogue'>,
  name: string,
): { readonly deployment: Deployment; readonly api: BatchApi } | undefined {
  for (const { deployments } of currentCatalogue(services.catalogue).models.values()) {
    const deployment = deployments.find((each) => each.name === name);
    const api = deployment && batchApiOf(services, deployment);
    if (deployment !== undefined && api !== undefined) return { deployment, api };
  }
  return undefined;
}
