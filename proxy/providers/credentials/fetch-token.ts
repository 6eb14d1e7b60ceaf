/**
 * Fetches an access token with OAuth 2.0 client credentials (RFC 6749, section 4.4), as GigaChat grants it:
 * https://developers.sber.ru/docs/ru/gigachat/api/reference/rest/post-token.
 */
import type { OAuth } from '../../../shared/catalogue/published-catalogue.ts';
import { httpResponseOf } from '../../nouns/http-response.ts';
import { asRecord, asText, type JsonRecord } from '../../nouns/json/record.ts';
import { readText } from '../../nouns/read-text.ts';
import { UpstreamFailure } from '../../nouns/upstream-failure.ts';
import type { Token } from './renewed-token.ts';

/** For the whole exchange. */
const timeoutMs = 10_000;
const responseMaxBytes = 64 * 1024;
/** If the response does not say how long the token is valid. */
const assumedLifetimeMs = 5 * 60_000;
/** However wrong the clocks are, a token is used for at least this long. */
const lifetimeMinMs = 60_000;
/** Smaller times would be before 1973 in milliseconds, so they are seconds. */
const millisecondsFrom = 100_000_000_000;

export interface TokenRequest extends OAuth {
  /** The authorization key: base64 of the client's id and secret. */
  readonly key: string;
  readonly ca: string | undefined;
  readonly timeoutMs?: number;
}

/** Throws UpstreamFailure. The server's message goes to the log, not to the customer. */
export async function fetchToken(request: TokenRequest, nowMs: number): Promise<Token> {
  const signal = AbortSignal.timeout(request.timeoutMs ?? timeoutMs);
  const { status, text } = await exchange(request, signal);
  if (status !== 200) {
    const cause = new Error(`the token server responded with status ${status}`);
    // A key that the token server does not know is the same as one that the provider does not know.
    const shownStatus = status >= 400 && status < 500 && status !== 408 && status !== 429 ? 401 : status;
    throw new UpstreamFailure('refused', "The provider refused the gateway's request.", { cause, status: shownStatus });
  }
  return readToken(text, nowMs);
}

async function exchange(request: TokenRequest, signal: AbortSignal): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(request.tokenUrl ?? defaultTokenUrl, {
      method: 'POST',
      headers: {
        authorization: `Basic ${request.key}`,
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        rquid: crypto.randomUUID(),
      },
      body: new URLSearchParams({ scope: request.scope }).toString(),
      redirect: 'manual',
      signal,
      ...(request.ca === undefined ? {} : { tls: { ca: request.ca } }),
    });
    return { status: response.status, text: await readText(httpResponseOf(response), { maxBytes: responseMaxBytes }) };
  } catch (cause) {
    if (cause instanceof UpstreamFailure) throw cause;
    if (signal.aborted) throw new UpstreamFailure('timeout', 'The provider did not grant access in time.', { cause });
    throw new UpstreamFailure('unreachable', 'The provider could not be reached.', { cause });
  }
}

const defaultTokenUrl = 'https://ngw.devices.sberbank.ru:9443/api/v2/oauth';

function readToken(text: string, nowMs: number): Token {
  const response = asRecord(parse(text));
  // Both names are documented.
  const value = asText(response.access_token) ?? asText(response.tok);
  // Other characters would break the header that it is sent in.
  if (value === undefined || !/^[\x21-\x7e]+$/.test(value)) {
    throw new UpstreamFailure('malformed', 'The provider returned an access token that cannot be read.');
  }
  return { value, expiresAtMs: Math.max(expiryOf(response, nowMs), nowMs + lifetimeMinMs) };
}

function expiryOf(response: JsonRecord, nowMs: number): number {
  const at = response.expires_at ?? response.exp;
  if (isTime(at)) return at < millisecondsFrom ? at * 1000 : at;
  return nowMs + (isTime(response.expires_in) ? response.expires_in * 1000 : assumedLifetimeMs);
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
