/**
 * Stores a response that is complete. One that was cut off, filtered or estimated is not stored, nor one that ended early because
 * the balance did not cover more.
 */
import { units } from '../../../shared/usage/billable-units.ts';
import type { Call } from '../../nouns/call.ts';
import { asArray, asRecord, type JsonRecord } from '../../nouns/json/record.ts';
import type { Bill } from '../../pricing/bill.ts';
import type { Plan } from '../planning/plan.ts';
import type { ProxyServices } from '../services.ts';
import type { RunningRequest } from '../settlement/running-request.ts';
import type { StreamedResponse, UpstreamResponse, WholeResponse } from '../upstream/attempt.ts';
import type { CacheUse } from './cache-use.ts';
import { dataOf } from './replay/events.ts';
import { type CachedResponse, freeCharge } from './stored-form.ts';

interface Completed {
  readonly bill: Bill;
  readonly running: RunningRequest;
  /** The output cap is lower than the request would have with a larger balance. */
  readonly isCapLowered: boolean;
}

interface Kept extends Pick<Completed, 'bill' | 'running'> {
  readonly response: UpstreamResponse;
  readonly plan: Plan;
  /** To the model that responded. */
  readonly call: Call;
}

const endings: ReadonlySet<unknown> = new Set(['stop', 'tool_calls', 'function_call']);

/** Returns at once. */
export function keepResponse({ responseCache }: ProxyServices, use: CacheUse, kept: Kept): void {
  const { response, plan, call, bill, running } = kept;
  const asked = plan.candidates.find(({ model }) => model.id === call.model);
  const isCapLowered = asked === undefined || running.outputCap < asked.quote.outputCap;
  const completed = { bill, running, isCapLowered };
  if (response.kind === 'whole') {
    responseCache.keep(use, () => completedWhole(response, completed));
    return;
  }
  const text = response.translation.recorded?.take();
  const announcesUsage = 'includeUsage' in call && call.includeUsage;
  if (text === undefined) return;
  responseCache.keep(use, () => completedStream(response, { ...completed, text, announcesUsage }));
}

function completedWhole({ body, deployment }: WholeResponse, completed: Completed): CachedResponse | undefined {
  const { bill } = completed;
  if ((body.usage === null && body.made === undefined) || bill.estimated) return undefined;
  const facts = factsOf(deployment.name, completed);
  const text = body.render(freeCharge(facts));
  if (!hasEnded([asRecord(JSON.parse(text))], completed)) return undefined;
  const { isTranslated = false } = body;
  return { ...facts, form: 'whole', isTranslated, announcesUsage: false, text, ending: '' };
}

/** `text` is what was recorded of it. */
function completedStream(
  { translation: { stream, recorded }, deployment }: StreamedResponse,
  { text, announcesUsage, ...completed }: Completed & { readonly text: string; readonly announcesUsage: boolean },
): CachedResponse | undefined {
  if (recorded === undefined || stream.usage === null || completed.bill.estimated) return undefined;
  const facts = factsOf(deployment.name, completed);
  const { isTranslated } = recorded;
  const ending = isTranslated ? recorded.close(freeCharge(facts)) : '';
  const events = dataOf(isTranslated ? ending : text).map((data) => asRecord(JSON.parse(data)));
  const responses = isTranslated
    ? events.flatMap(({ response }) => (response === undefined ? [] : [asRecord(response)]))
    : events;
  if (!hasEnded(responses, completed)) return undefined;
  return { ...facts, form: 'events', isTranslated, announcesUsage, text, ending };
}

function factsOf(deployment: string, { bill, running }: Completed) {
  const { requestId, modelId } = running;
  const counts = units.flatMap(({ name }) => (bill.usage[name] === 0 ? [] : [[name, bill.usage[name]] as const]));
  return { requestId, storedAtMs: Date.now(), model: modelId, deployment, usage: Object.fromEntries(counts) };
}

/** A whole response, or the chunks of one. Embeddings and judgements have no end to look at. */
function hasEnded(parts: readonly JsonRecord[], { isCapLowered }: Completed): boolean {
  return parts.every((part) => {
    const reasons = asArray(part.choices).map((choice) => asRecord(choice).finish_reason ?? 'stop');
    return reasons.every((reason) => endings.has(reason) || isAtLimit(reason)) && hasEndedResponse(part);
  });

  function isAtLimit(reason: unknown): boolean {
    return reason === 'length' && !isCapLowered;
  }

  function hasEndedResponse({ object, status, incomplete_details: details }: JsonRecord): boolean {
    if (object !== 'response' || status === 'completed') return true;
    return status === 'incomplete' && asRecord(details).reason === 'max_output_tokens' && !isCapLowered;
  }
}
