/**
 * Opens Stripe's own client with our limits: one timeout, a size limit, no hidden retries, no telemetry. Its errors become
 * ours: a 4xx says that nothing has happened, unless it is about our key or the moment; after anything else the call has to be
 * repeated with the same key.
 */
import Stripe from 'stripe';
import type { StripeConfig } from '../../../config/payments.ts';
import { ProviderError } from '../payment-method.ts';
import { boundedFetch } from '../provider-fetch.ts';

const timeoutMs = 15_000;
/** Not statements about the request, although they are below 500. */
const temporary: ReadonlySet<number> = new Set([408, 409, 425, 429]);

export function openStripe({ secretKey, apiUrl }: StripeConfig): Stripe {
  const url = new URL(apiUrl);
  return new Stripe(secretKey, {
    protocol: url.protocol === 'http:' ? 'http' : 'https',
    host: url.hostname,
    port: url.port === '' ? (url.protocol === 'http:' ? 80 : 443) : Number(url.port),
    httpClient: Stripe.createFetchHttpClient(Object.assign(limitedFetch, { preconnect: fetch.preconnect })),
    timeout: timeoutMs,
    maxNetworkRetries: 0,
    telemetry: false,
  });
}

/** Throws ProviderError only. */
export async function callStripe<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (cause) {
    const status = cause instanceof Stripe.errors.StripeError ? cause.statusCode : undefined;
    if (status === 401 || status === 403) {
      throw new ProviderError('denied', `Stripe denied access with ${status}: ${messageOf(cause)}`, { cause });
    }
    const isRefused = status !== undefined && status >= 400 && status < 500 && !temporary.has(status);
    if (!isRefused || !(cause instanceof Error)) {
      throw new ProviderError('unavailable', `Stripe cannot be reached${status === undefined ? '' : `: ${status}`}`, {
        cause,
      });
    }
    throw new ProviderError('refused', `Stripe refused with ${status}: ${messageOf(cause)}`, { cause });
  }
}

const messageOf = (cause: unknown) => (cause instanceof Error ? cause.message.slice(0, 300) : '');

/** Undefined for a 404. Throws ProviderError only. */
export async function orUndefined<Result>(call: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await callStripe(call);
  } catch (error) {
    const isMissing =
      error instanceof ProviderError &&
      error.cause instanceof Stripe.errors.StripeError &&
      error.cause.statusCode === 404;
    if (isMissing) return undefined;
    throw error;
  }
}

async function limitedFetch(url: unknown, options: unknown): Promise<Response> {
  // Stripe's types leave open which `fetch` is given.
  const { status, text, headers } = await boundedFetch('Stripe', String(url), options as RequestInit);
  return new Response(text, { status, headers });
}
