/** Whether a request may search the web: one of its models has a price for searches, and a deployment that runs them. */
import { servesWebSearches } from '../../../shared/catalogue/published-catalogue.ts';
import type { Call } from '../../nouns/call.ts';
import { withoutWebSearch } from '../../nouns/requests/hosted-tools.ts';
import { readRouting } from '../../nouns/requests/routing.ts';
import type { Catalogue, Deployment } from '../../pricing/catalogue.ts';
import { operationOf } from '../../providers/adapters.ts';

type Read<Rest extends unknown[]> = (value: object, ...rest: Rest) => Call;

/** Reads a call with its search if it can be paid, and else without. Throws GatewayError if it requires the search. */
export function payingSearches<Rest extends unknown[]>(read: Read<Rest>, { models }: Catalogue): Read<Rest> {
  return (value, ...rest) => {
    const call = read(value, ...rest);
    if (call.kind !== 'chat' || call.webSearch === undefined) return call;
    const ids = readRouting(value, call.model)?.models ?? [call.model];
    const isPaid = ids.some((id) => {
      const model = models.get(id);
      return model?.prices.each?.webSearch !== undefined && model.deployments.some((each) => searches(each, call));
    });
    return isPaid ? call : withoutWebSearch(call);
  };
}

/** Whether the deployment can serve the call with its search. */
function searches({ provider: { protocol } }: Deployment, call: Call): boolean {
  return servesWebSearches(protocol) && (operationOf(protocol, call.kind)?.serves?.(call) ?? true);
}
