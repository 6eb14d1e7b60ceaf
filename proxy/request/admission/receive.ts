/** The first steps of every request with a key: who sends it, whether that key is known, and only then its body. */
import { parseJsonObject } from '../../../shared/http/check-value.ts';
import type { Body } from '../../../shared/http/intake/body.ts';
import { jsonLimits, tokenIdLimits } from '../../../shared/http/intake/json-scanner.ts';
import { type FormFormat, valueOfForm } from '../../nouns/requests/form-value.ts';
import type { ReadBody } from '../body/call-source.ts';
import { LargeBody } from '../body/large-body.ts';
import { withUniqueNames } from '../body/unique-names.ts';
import { Timeline } from '../metrics/timeline.ts';
import type { ProxyServices } from '../services.ts';
import type { Caller, Calling } from './caller.ts';
import { findCaller } from './find-caller.ts';

/** What an incoming request has to offer here. */
export interface Receivable extends Calling {
  /** To be called when its body has been read: from then on its connection may be silent. */
  arrived(): void;
  /** The body counts until its request is over. */
  body: Body | undefined;
}

/** Of the body. */
export interface Format {
  readonly takesTokenIds?: boolean | undefined;
  readonly form?: FormFormat | undefined;
}

export interface Received extends ReadBody {
  readonly caller: Caller;
  readonly timeline: Timeline;
}

/**
 * `use` is called with what was received. A large body may be gone after it. Throws GatewayError: 401 and 403 by the key,
 * 400, 408, 413 and 503 by the body.
 */
export async function receive<Result>(
  services: ProxyServices,
  incoming: Receivable,
  { takesTokenIds = false, form }: Format,
  use: (received: Received) => Result | Promise<Result>,
): Promise<Result> {
  const { request } = incoming;
  const found = incoming.caller ?? findCaller(services, incoming);
  const caller = found instanceof Promise ? await found : found;
  if (form !== undefined) return receiveForm(services, incoming, { format: form, caller, use });
  const body = await services.bodies.read(request, {
    maxBytes: services.config.bodyMaxBytes,
    json: takesTokenIds ? tokenIdLimits : jsonLimits,
  });
  incoming.body = body;
  incoming.arrived();
  const timeline = new Timeline();
  if (body.isLarge) {
    const large = new LargeBody(body, services.workbench);
    return large.read((parsed) => use({ caller, timeline, large, form: undefined, ...parsed }));
  }
  const { text: sent, members } = body;
  const value = parseJsonObject(sent);
  const text = withUniqueNames(sent, { value, members });
  return use({ caller, timeline, large: undefined, form: undefined, text, value });
}

interface ReceivingForm<Result> {
  readonly format: FormFormat;
  readonly caller: Caller;
  use(received: Received): Result | Promise<Result>;
}

async function receiveForm<Result>(
  services: ProxyServices,
  incoming: Receivable,
  { format, caller, use }: ReceivingForm<Result>,
): Promise<Result> {
  const { body, form } = await services.bodies.readForm(incoming.request, format);
  incoming.body = body;
  incoming.arrived();
  const value = valueOfForm(form, format);
  return use({ caller, timeline: new Timeline(), large: undefined, form, text: '', value });
}
