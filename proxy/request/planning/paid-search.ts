/**
 * Whether a request may search the web: one of its models has a price for searches, and a deployment that runs them. A request that
 * does not require its search is planned with it, and without it for where it cannot be had.
 */
import { servesWebSearches } from '../../../shared/catalogue/published-catalogue.ts';
import type { Call } from '../../nouns/call.ts';
import { isSearching, type SearchingCall, withoutWebSearch } from '../../nouns/requests/hosted-tools.ts';
import { readRouting } from '../../nouns/requests/routing.ts';
import type { Catalogue, Deployment } from '../../pricing/catalogue.ts';
import { operationOf } from '../../providers/adapters.ts';

type Read<Rest extends unknown[]> = (value: object, ...rest: Rest) => Call;

/** Reads a call with its search if it can be paid, and else without. Throws GatewayError if it requires the search. */
export function payingSearches<Rest extends unknown[]>(read: Read<Rest>, { models }: Catalogue): Read<Rest> {
  return (value, ...rest) => {
    const call = read(value, ...rest);
    if (!isSearching(call)) return call;
    const ids = readRouting(value, call.model)?.models ?? [call.model];
    const isPaid = ids.some((id) => {
      const model = models.get(id);
      return model?.prices.each?.webSearch !== undefined && model.deployments.some((each) => searches(each, call));
    });
    if (!isPaid) return withoutWebSearch(call);
    if (call.webSearch.refusal !== undefined) throw call.webSearch.refusal;
    return call;
  };
}

/** Whether the deployment can serve the call with its search. None but OpenAI's has stored the web. */
export function searches({ provider: { protocol } }: Deployment, call: SearchingCall): boolean {
  if (!servesWebSearches(protocol) || (call.webSearch.isCached && protocol === 'anthropic')) return false;
  return operationOf(protocol, call.kind)?.serves?.(call) ?? true;
}

/** The call without a search that it offers and does not require; undefined if there is none. */
export function withoutOfferedSearch(call: Call): Call | undefined {
  return isSearching(call) && call.webSearch.requiredBy === undefined ? withoutWebSearch(call) : undefined;
}
