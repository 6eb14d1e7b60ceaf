/**
 * POST /v1/messages/count_tokens: how many input tokens a Messages request has, by estimate. It costs nothing, but asks
 * for a key that may use the model now and counts as a request, so that nobody has a free tokenizer of us.
 */
import { findModel } from '../catalogue/find-model.ts';
import { receive } from '../intake/receive.ts';
import { estimateTextTokens, templateTokens } from '../metering/estimate-tokens.ts';
import { quoteOf } from '../quote.ts';
import { askWallet } from '../quote-endpoint.ts';
import type { Incoming } from '../relay.ts';
import type { ChatCall } from '../request/call.ts';
import type { ProxyServices } from '../services.ts';
import { readTokenCount } from './messages.ts';

export const tokenCountPath = '/v1/messages/count_tokens';

/** What Anthropic counts for a picture of the usual size. */
const mediaPartTokens = 1_600;

/** Throws GatewayError as the relay does, but for a balance that is too small. */
export async function answerTokenCount(services: ProxyServices, incoming: Incoming): Promise<Response> {
  const { caller, text, value } = await receive(services, incoming);
  const call = readTokenCount(value, text);
  const model = findModel(services.catalogue, call.model);
  await askWallet(services, { caller, model, quote: quoteOf(model, call), headers: incoming.headers });
  return Response.json({ input_tokens: await countInput(call) });
}

async function countInput({ body, promptTexts, mediaParts }: ChatCall): Promise<number> {
  const calls = body.messages.flatMap((message) => message.tool_calls ?? []);
  const spelledOut = [...(body.tools ?? []), ...calls].map((item) => JSON.stringify(item));
  const textTokens = await estimateTextTokens([...promptTexts, ...spelledOut]);
  return textTokens + templateTokens(body.messages.length) + mediaParts * mediaPartTokens;
}
