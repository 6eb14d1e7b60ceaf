/** The first steps of every request with a key: who sends it, whether that key is known, and only then its body. */

import { parseJsonObject } from '../../shared/http/check-value.ts';
import type { Body } from '../../shared/http/intake/bodies.ts';
import { jsonLimits, tokenIdLimits } from '../../shared/http/intake/json-scanner.ts';
import { withUniqueNames } from '../json/unique-names.ts';
import { Timeline } from '../metrics/timeline.ts';
import type { ProxyServices } from '../services.ts';
import { type Caller, findCaller } from './find-caller.ts';

/** What an incoming request has to offer here. */
export interface Receivable {
  readonly request: Request;
  /** To be called when its body has been read: from then on its connection may be silent. */
  arrived(): void;
  /** The body counts until the request has been answered. */
  body: Body | undefined;
  /** Once its key is known. */
  caller: Caller | undefined;
}

export interface Received {
  readonly caller: Caller;
  /** JSON in which no object has the same name twice, so that it says the same to everybody. */
  readonly text: string;
  /** The text, parsed. */
  readonly value: object;
  readonly timeline: Timeline;
}

/** What was read of a larger body is worked on in a turn of its own, so that others do not wait for all of it at once. */
const largeCharacters = 262_144;

/** Throws GatewayError: 401 and 403 by the key, 400, 408, 413 and 503 by the body. */
export async function receive(
  services: ProxyServices,
  incoming: Receivable,
  { takesTokenIds = false }: { readonly takesTokenIds?: boolean } = {},
): Promise<Received> {
  const { request } = incoming;
  const found = findCaller(services, request.headers);
  const caller = found instanceof Promise ? await found : found;
  incoming.caller = caller;
  incoming.body = await services.bodies.read(request, {
    maxBytes: services.config.bodyMaxBytes,
    json: takesTokenIds ? tokenIdLimits : jsonLimits,
  });
  incoming.arrived();
  const timeline = new Timeline();
  const { text, members } = incoming.body;
  const isLarge = text.length > largeCharacters;
  if (isLarge) await nextTurn();
  const value = parseJsonObject(text);
  if (isLarge) await nextTurn();
  return { caller, text: withUniqueNames(text, { value, members }), value, timeline };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
