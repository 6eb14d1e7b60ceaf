/**
 * An access token that is always valid. However many requests need it, it is fetched once. It is renewed while the old
 * one still works, so that no request waits, and discarded when the provider refuses it.
 */
import type { Abortable } from '../../nouns/cancellation.ts';
import { UpstreamFailure } from '../../nouns/upstream-failure.ts';

export interface Token {
  readonly value: string;
  readonly expiresAtMs: number;
}

/** How long before its expiry a token is renewed. */
const renewBeforeMs = 120_000;
/** How long before its expiry it is no longer used: a request needs time to arrive. */
const unusableBeforeMs = 10_000;
/** Between two attempts to renew a token that is still valid. */
const retryAfterMs = 5_000;

export class RenewedToken {
  readonly #fetch: (nowMs: number) => Promise<Token>;
  readonly #now: () => number;
  #token: Token | undefined;
  #fetching: Promise<Token> | undefined;
  #renewAtMs = 0;

  constructor(fetch: (nowMs: number) => Promise<Token>, now: () => number) {
    this.#fetch = fetch;
    this.#now = now;
  }

  /** Throws UpstreamFailure. */
  async value(request: Abortable): Promise<string> {
    const token = this.#token;
    const nowMs = this.#now();
    if (token === undefined || nowMs >= token.expiresAtMs - unusableBeforeMs) {
      return (await orAborted(this.#renew(), request.signal)).value;
    }
    if (nowMs >= this.#renewAtMs) {
      this.#renewAtMs = nowMs + retryAfterMs;
      // The old one is still valid. The first request after its expiry gets the error.
      this.#renew().catch(() => {});
    }
    return token.value;
  }

  /** Only discards the token that was refused: another request may have fetched a new one since. */
  discard(value: string): void {
    if (this.#token?.value === value) this.#token = undefined;
  }

  /** One renewal at a time, which continues even if the client that started it disconnects. */
  #renew(): Promise<Token> {
    this.#fetching ??= this.#fetchAndKeep().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetchAndKeep(): Promise<Token> {
    const token = await this.#fetch(this.#now());
    this.#token = token;
    this.#renewAtMs = Math.max(token.expiresAtMs - renewBeforeMs, this.#now() + retryAfterMs);
    return token;
  }
}

/** Stops waiting when the client leaves; other requests keep waiting. */
async function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const ended = () => new UpstreamFailure('unreachable', 'The request ended before it was sent.');
  if (signal.aborted) {
    // There may be no other request to handle its failure.
    promise.catch(() => {});
    throw ended();
  }
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(ended());
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
