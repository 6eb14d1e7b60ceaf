/**
 * POST /v1/quote: the most that a request would cost, and whether it would be accepted now. Takes the body of any
 * inference endpoint, unchanged, and refuses what the relay would refuse before it checks the balance. Holds nothing,
 * charges nothing, and counts as a request.
 */
import { Type } from '@sinclair/typebox';
import { checkValue, notJson } from '../../../shared/http/check-value.ts';
import { notAForm } from '../../../shared/http/intake/form.ts';
import { formatPriceEach, formatPricePerToken } from '../../../shared/money.ts';
import { listEachPrices } from '../../../shared/usage/each-prices.ts';
import type { Peek, ShortRefusal } from '../../../shared/wallet/reserve-reply.ts';
import type { PeekRequest } from '../../../shared/wallet/wallet.ts';
import { renderObject } from '../../nouns/json/patch-object.ts';
import { announceRemoved } from '../../nouns/requests/hosted-tools.ts';
import { namingModel, parameterOfModel, readRouting, withModel } from '../../nouns/requests/routing.ts';
import { noUsage } from '../../nouns/usage.ts';
import { pricesOf } from '../../pricing/cost.ts';
import { currentCatalogue, findIn } from '../../pricing/find-model.ts';
import { balanceFacts } from '../../request/admission/balance-facts.ts';
import type { Caller } from '../../request/admission/caller.ts';
import { type Planner, planRequest } from '../../request/admission/planner.ts';
import { setRateHeaders } from '../../request/admission/rate-headers.ts';
import { receive } from '../../request/admission/receive.ts';
import { refusalOf, walletUnavailable } from '../../request/admission/refusal.ts';
import { toPeekRequest } from '../../request/admission/reserve.ts';
import { askWallet, checkWalletReachable } from '../../request/admission/wallet-access.ts';
import { payingSearches } from '../../request/planning/paid-search.ts';
import type { Candidate } from '../../request/planning/plan.ts';
import type { Incoming } from '../../request/relay.ts';
import type { ProxyServices } from '../../request/services.ts';
import { anyForm, endpointOf } from '../endpoints.ts';

export const quotePath = '/v1/quote';

const bodySchema = Type.Object({ model: Type.String({ minLength: 1, expected: 'the id of a model' }) });

/** Throws GatewayError as the relay does, except when the balance is too small. */
export async function handleQuote(services: ProxyServices, incoming: Incoming): Promise<Response> {
  const isForm = incoming.request.headers.get('content-type')?.startsWith('multipart/form-data') ?? false;
  const format = isForm ? { form: anyForm } : { takesTokenIds: true };
  const { caller, planner } = await receive(services, incoming, format, (received) => {
    const { caller, value, text, form } = received;
    const catalogue = currentCatalogue(services.catalogue);
    const { kind } = findIn(catalogue, checkValue(bodySchema, withModel(value)).model, parameterOfModel(value));
    const endpoint = endpointOf(kind, { isForm });
    if (endpoint === undefined) throw isForm ? notJson() : notAForm();
    const call = payingSearches(namingModel(endpoint.read), catalogue)(value, text, form);
    announceRemoved(incoming.headers, call);
    const routing = readRouting(value, call.model);
    const planner = planRequest(services, caller, { catalogue, kind, call, routing });
    return planner instanceof Promise ? planner.then((later) => ({ caller, planner: later })) : { caller, planner };
  });
  const result = await checkWallet(services, { caller, planner, headers: incoming.headers });
  return new Response(renderQuote(result, planner.plan.dearest), { headers: { 'content-type': 'application/json' } });
}

/** Throws GatewayError if the key may not use this model now, regardless of the balance. */
export async function checkWallet(
  services: ProxyServices,
  { caller, planner, headers }: { caller: Caller; planner: Planner; headers: Headers },
): Promise<Peek | ShortRefusal> {
  const result = await askWallet(services, caller, (isRecalled) =>
    peek(services, { ...toPeekRequest(services, { caller, planner }), isRecalled }),
  );
  if (result.rates !== undefined) setRateHeaders(headers, result.rates);
  if (result.ok || result.reason === 'short') return result;
  throw refusalOf(result, planner.plan);
}

async function peek(services: ProxyServices, request: PeekRequest) {
  checkWalletReachable(services);
  try {
    return await services.wallet.peek(request);
  } catch (cause) {
    throw walletUnavailable(cause);
  }
}

/** JSON text. Amounts are numbers spelled out digit by digit, prices are strings as in GET /v1/models. */
function renderQuote(result: Peek | ShortRefusal, { model, quote }: Candidate): string {
  const granted = result.ok ? result : quote;
  const facts = balanceFacts(result, granted.amountNano, quote);
  const { image, each = {} } = model.prices;
  const { prompt, completion } = pricesOf(model, { ...noUsage, promptTokens: quote.promptTokensMax });
  return renderObject({
    object: '"quote"',
    model: JSON.stringify(model.id),
    prompt_tokens_max: String(quote.promptTokensMax),
    max_tokens: String(granted.outputCap),
    max_cost: facts.maxCost,
    available: facts.available,
    held: facts.held,
    affordable: String(result.ok),
    affordable_max_tokens: String(facts.affordableMaxTokens),
    pricing: renderObject({
      prompt: JSON.stringify(formatPricePerToken(prompt)),
      completion: JSON.stringify(formatPricePerToken(completion)),
      ...Object.fromEntries(listEachPrices(each).map((of) => [of.column, JSON.stringify(formatPriceEach(of.price))])),
      ...(image !== undefined && { image: JSON.stringify(formatPriceEach(image.price)) }),
    }),
  });
}
