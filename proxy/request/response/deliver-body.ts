/** A whole response: metered, its charge on its way, and only then given to the client. */
import type { Call } from '../../nouns/call.ts';
import type { Dialect } from '../../nouns/dialect.ts';
import type { RenderedCharge } from '../../nouns/usage.ts';
import type { Bill } from '../../pricing/bill.ts';
import type { UpstreamBody } from '../../providers/adapter.ts';
import type { RunningRequest } from '../settlement/running-request.ts';
import type { WholeResponse } from '../upstream/attempt.ts';
import type { Deferred } from './deferred.ts';
import { encodeResponse, jsonType } from './stored-response.ts';

export interface Delivery {
  readonly call: Call;
  readonly running: RunningRequest;
  readonly headers: Headers;
  readonly dialect: Dialect | undefined;
  /** Its charge is on its way. */
  readonly onCharged?: ((bill: Bill) => void) | undefined;
  /** Undefined if a client waits. */
  readonly deferred: Deferred | undefined;
}

export function deliverBody({ body, deployment }: WholeResponse, delivery: Delivery): Response | Promise<Response> {
  const { running, deferred } = delivery;
  const bill = billOf(body, running);
  const { costUsd } = bill;
  // Before the charge, so that a response that cannot be rendered is not charged.
  const text = renderForEndpoint(body, bill, delivery);
  const respond = () => responseOf(text, { headers: delivery.headers, costUsd, ...typeOf(body) });
  if (deferred !== undefined) {
    return deferred.keep({ text, charge: running.decide(bill) }).then(() => {
      deferred.charging(running.charge(bill));
      return respond();
    });
  }
  const { requestId, storesResponse } = running;
  const stored = storesResponse
    ? encodeResponse({ requestId, deployment: deployment.name, costUsd, body: text, ...typeOf(body) })
    : undefined;
  const charged = running.charge(bill, stored);
  if (body.usage !== null) running.meter?.learn(body.usage, () => body.outputTexts);
  delivery.onCharged?.(bill);
  // A repetition that arrives immediately has to find it.
  return storesResponse ? charged.then(respond) : respond();
}

function typeOf({ mediaType }: UpstreamBody): { mediaType?: string } {
  return mediaType === undefined ? {} : { mediaType };
}

interface ResponseFacts {
  readonly headers: Headers;
  readonly costUsd: string;
  readonly mediaType?: string;
}

function responseOf(text: string, { headers, costUsd, mediaType = jsonType }: ResponseFacts): Response {
  headers.set('content-type', mediaType);
  headers.set('x-cost-usd', costUsd);
  return new Response(text, { headers });
}

function billOf(body: UpstreamBody, running: RunningRequest): Bill {
  const { usage, made, outputTexts, audioTokens = 0, webSearches = 0 } = body;
  if (made !== undefined) return running.billMade(made);
  if (usage !== null) return running.bill(usage);
  running.deliveredAudioTokens = () => audioTokens;
  running.webSearches = () => webSearches;
  return running.estimatedBill((running.meter?.outputTokens(outputTexts) ?? 0) + audioTokens);
}

function renderForEndpoint(body: UpstreamBody, charge: RenderedCharge, { call, running, dialect }: Delivery): string {
  const text = body.render(charge);
  if (dialect === undefined || body.isTranslated) return text;
  // For a chat model, it is a chat completion.
  return dialect.renderBody(JSON.parse(text), { call, charge, requestId: running.requestId });
}
