/**
 * POST /v1/messages/count_tokens: how many input tokens a Messages request has, by estimate. It costs nothing, but asks
 * for a key that may use the model now and counts as a request, so that nobody has a free tokenizer of us.
 */

import { quoteOf } from '../../admission/quote.ts';
import { receive } from '../../admission/receive.ts';
import { findModel } from '../../catalogue/find-model.ts';
import { weighPrompt } from '../../metering/prompt-weight.ts';
import type { Incoming } from '../../relay.ts';
import type { ProxyServices } from '../../services.ts';
import { askWallet } from '../quote/quote-endpoint.ts';
import { readTokenCount } from './messages.ts';

export const tokenCountPath = '/v1/messages/count_tokens';

/** Throws GatewayError as the relay does, but for a balance that is too small. */
export async function answerTokenCount(services: ProxyServices, incoming: Incoming): Promise<Response> {
  const { caller, text, value } = await receive(services, incoming);
  const call = readTokenCount(value, text);
  const model = findModel(services.catalogue, call.model);
  await askWallet(services, { caller, model, quote: quoteOf(model, call), headers: incoming.headers });
  const [deployment] = model.deployments;
  if (deployment === undefined) throw new Error(`model ${model.id} has no deployment`);
  const weight = weighPrompt(call, deployment.provider);
  return Response.json({ input_tokens: services.calibrations.of(deployment.name).promptTokens(weight) });
}
