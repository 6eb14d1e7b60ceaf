/** One attempt of a delivery: signs it, posts it to the endpoint, and says what came of it. Never rejects. */
import type { AdminConfig } from '../../config/admin.ts';
import type { Resolve } from '../../http/outgoing/address-guard.ts';
import { type Answer, sendGuarded } from '../../http/outgoing/send-guarded.ts';
import { signingSecrets } from '../endpoints/secrets.ts';
import type { ClaimedDelivery } from './claim-deliveries.ts';
import { signDelivery } from './sign-delivery.ts';

export interface AttemptServices {
  readonly config: Pick<AdminConfig, 'keyPeppers' | 'webhookReach'>;
  readonly now: () => Date;
  readonly resolve?: Resolve;
}

export interface Attempted {
  readonly isDelivered: boolean;
  /** Null where there was no response. */
  readonly status: number | null;
  /** Its first characters. */
  readonly body: string | null;
  /** Null if it was delivered. */
  readonly error: string | null;
}

/** For the whole attempt, from resolving the name to the end of the response. */
export const attemptTimeoutMs = 5_000;
export const shownCharacters = 1_000;
/** UTF-8 takes up to four bytes for a character. */
const bodyMaxBytes = 4 * shownCharacters;
const errorMaxLength = 300;
const gone = 410;

export const userAgent = 'Model-Gateway-Webhooks/1';

export async function attemptDelivery(
  { config, now, resolve }: AttemptServices,
  delivery: ClaimedDelivery,
  cut: AbortSignal,
): Promise<Attempted> {
  const { endpoint, eventId, type, data, occurredAt } = delivery;
  const body = JSON.stringify({ type, timestamp: occurredAt.toISOString(), data });
  const at = now();
  const secrets = signingSecrets(config, endpoint, at);
  if (secrets.length === 0) return failed('the secret of the endpoint can no longer be read: rotate it');
  const signal = AbortSignal.any([cut, AbortSignal.timeout(attemptTimeoutMs)]);
  try {
    const headers = {
      ...{ 'content-type': 'application/json', 'accept-encoding': 'identity', 'user-agent': userAgent },
      ...signDelivery({ id: messageIdOf(eventId), body, at }, secrets),
    };
    const guard = { reach: config.webhookReach, ...(resolve !== undefined && { resolve }) };
    return judge(await sendGuarded(endpoint.url, { method: 'POST', headers, body, bodyMaxBytes, signal }, guard));
  } catch (error) {
    return failed(reasonOf(error));
  }
}

const failed = (error: string): Attempted => ({ isDelivered: false, status: null, body: null, error });

/** Of `webhook-id`. */
export const messageIdOf = (eventId: string) => `evt_${eventId}`;

/** The receiver says that it wants nothing any more. */
export const isGone = ({ status }: Attempted) => status === gone;

function judge({ status, body }: Answer): Attempted {
  const isDelivered = status >= 200 && status < 300;
  return { isDelivered, status, body: shownPart(body), error: isDelivered ? null : describeStatus(status) };
}

function describeStatus(status: number): string {
  return status >= 300 && status < 400
    ? `the endpoint redirected (status ${status}), which is not followed`
    : `the endpoint responded with status ${status}`;
}

/** Postgres stores no NUL. */
function shownPart(body: Buffer): string {
  return [...body.toString('utf8').replaceAll('\u0000', '\ufffd')].slice(0, shownCharacters).join('');
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return `the endpoint did not respond within ${attemptTimeoutMs / 1000} seconds`;
  }
  return (error instanceof Error ? error.message : String(error)).replaceAll('\u0000', '').slice(0, errorMaxLength);
}
