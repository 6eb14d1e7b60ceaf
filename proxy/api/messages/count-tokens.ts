/**
 * POST /v1/messages/count_tokens: estimates the input tokens of a Messages request. It costs nothing, but needs a key
 * that may use the model now, and counts as a request, so that it cannot be abused as a free tokenizer.
 */
import { announceRemoved } from '../../nouns/requests/hosted-tools.ts';
import { namingModel, readRouting } from '../../nouns/requests/routing.ts';
import { currentCatalogue } from '../../pricing/find-model.ts';
import { weighPrompt } from '../../pricing/prompt-weight.ts';
import { planRequest } from '../../request/admission/planner.ts';
import { receive } from '../../request/admission/receive.ts';
import { payingSearches } from '../../request/planning/paid-search.ts';
import type { Incoming } from '../../request/relay.ts';
import type { ProxyServices } from '../../request/services.ts';
import { checkWallet } from '../quote/quote-endpoint.ts';
import { readTokenCount } from './messages.ts';

export const tokenCountPath = '/v1/messages/count_tokens';

/** Throws GatewayError as the relay does, except when the balance is too small. */
export async function handleTokenCount(services: ProxyServices, incoming: Incoming): Promise<Response> {
  const { caller, planner, tokens } = await receive(services, incoming, {}, async ({ caller, value, text }) => {
    const catalogue = currentCatalogue(services.catalogue);
    const call = payingSearches(namingModel(readTokenCount), catalogue)(value, text);
    announceRemoved(incoming.headers, call);
    const wanted = { catalogue, kind: 'chat', call } as const;
    const planner = await planRequest(services, caller, { ...wanted, routing: readRouting(value, call.model) });
    const [deployment] = planner.plan.candidates.flatMap(({ model }) => model.deployments);
    if (deployment === undefined) throw new Error(`a plan for ${call.model} has no deployment`);
    const weight = weighPrompt(call, deployment.provider);
    return { caller, planner, tokens: services.calibrations.of(deployment).promptTokens(weight) };
  });
  await checkWallet(services, { caller, planner, headers: incoming.headers });
  return Response.json({ input_tokens: tokens });
}
