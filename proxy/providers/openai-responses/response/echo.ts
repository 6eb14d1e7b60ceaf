/** What a response repeats of the request and the provider does not know: its name of the model, and `metadata`. */
import type { Call } from '../../../nouns/call.ts';
import { isResponsesCall } from '../../../nouns/requests/responses-request.ts';

export interface Echo {
  readonly model: string;
  readonly metadata: Readonly<Record<string, string>>;
}

export function echoOf(call: Call): Echo {
  const metadata = isResponsesCall(call) ? call.settings.request.metadata : undefined;
  return { model: call.model, metadata: metadata ?? {} };
}
