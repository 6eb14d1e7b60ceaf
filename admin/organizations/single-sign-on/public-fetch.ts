/** The `fetch` of openid-client: guarded, because a customer names the issuer; ten seconds, and small responses. */
import type { Reach } from '../../http/outgoing/address-guard.ts';
import { type Answer, sendGuarded } from '../../http/outgoing/send-guarded.ts';

export interface IssuerReach {
  readonly oidcIssuers: Reach;
}

interface FetchOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export const fetchTimeoutMs = 10_000;
const bodyMaxBytes = 256 * 1024;

/** In the form that openid-client takes. Rejects with Error. */
export function publicFetch({ oidcIssuers: reach }: IssuerReach) {
  return async (address: string, { method, headers, body }: FetchOptions): Promise<Response> => {
    const signal = AbortSignal.timeout(fetchTimeoutMs);
    const outgoing = { method, headers, body: body?.toString(), bodyMaxBytes, signal };
    const answer = await sendGuarded(address, outgoing, { reach });
    if (!answer.isWhole) throw new Error(`the response is larger than ${bodyMaxBytes} bytes`);
    return toResponse(answer);
  };
}

function toResponse({ status, headers, body }: Answer): Response {
  const shown = new Headers();
  for (const name of ['content-type', 'www-authenticate']) {
    const value = headers[name];
    if (typeof value === 'string') shown.set(name, value);
  }
  const isEmpty = status === 204 || status === 304;
  return new Response(isEmpty ? null : body.toString('utf8'), { status: status < 200 ? 502 : status, headers: shown });
}
