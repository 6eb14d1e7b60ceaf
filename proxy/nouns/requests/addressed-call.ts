/** A call as it is sent to another model than the one that its client names first. */
import type { Call } from '../call.ts';
import { isResponsesCall, type ResponsesCall } from './responses-request.ts';

/** The same call if it is to this model already. */
export function callTo(call: Call, model: string): Call {
  if (call.model === model) return call;
  if (!isResponsesCall(call)) return { ...call, model };
  // Its response repeats the settings.
  const settings = { ...call.settings, request: { ...call.settings.request, model } };
  const addressed: ResponsesCall = { ...call, model, settings };
  return addressed;
}
