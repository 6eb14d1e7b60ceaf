/**
 * POST /v1/messages/count_tokens: estimates the input tokens of a Messages request. It costs nothing, but needs a key
 * that may use the model now, and counts as a request, so that it cannot be abused as a free tokenizer.
 */
import { announceRemoved } from '../../nouns/requests/hosted-tools.ts';
import { findModel } from '../../pricing/find-model.ts';
import { weighPrompt } from '../../pricing/prompt-weight.ts';
import { quoteOf } from '../../request/admission/quote.ts';
import { receive } from '../../request/admission/receive.ts';
import type { Incoming } from '../../request/relay.ts';
import type { ProxyServices } from '../../request/services.ts';
import { checkWallet } from '../quote/quote-endpoint.ts';
import { readTokenCount } from './messages.ts';

export const tokenCountPath = '/v1/messages/count_tokens';

/** Throws GatewayError as the relay does, except when the balance is too small. */
export async function handleTokenCount(services: ProxyServices, incoming: Incoming): Promise<Response> {
  const { caller, model, quote, tokens } = await receive(services, incoming, {}, ({ caller, value, text }) => {
    const call = readTokenCount(value, text);
    announceRemoved(incoming.headers, call);
    const model = findModel(services.catalogue, call.model);
    const quote = quoteOf(model, call);
    const [deployment] = model.deployments;
    if (deployment === undefined) throw new Error(`model ${model.id} has no deployment`);
    const weight = weighPrompt(call, deployment.provider);
    return { caller, model, quote, tokens: services.calibrations.of(deployment).promptTokens(weight) };
  });
  await checkWallet(services, { caller, model, quote, headers: incoming.headers });
  return Response.json({ input_tokens: tokens });
}
