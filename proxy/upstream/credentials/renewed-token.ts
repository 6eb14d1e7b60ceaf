/**
 * An access token that is always good. However many requests want it, it is fetched once; it is renewed while the old
 * one still works, so that no request waits for that; and it is thrown away when the provider refuses it.
 */
import type { Abortable } from '../../settlement/cancellation.ts';
import { UpstreamFailure } from '../upstream-failure.ts';

export interface Token {
  readonly value: string;
  readonly expiresAtMs: number;
}

/** From here on it is renewed while it is still used. */
const renewBeforeMs = 120_000;
/** From here on it is not used any more: a request needs time to arrive. */
const unusableBeforeMs = 10_000;
/** Between two attempts to renew a token that is still good. */
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
      // The old one is still good; whoever finds it expired is told why there is no new one.
      this.#renew().catch(() => {});
    }
    return token.value;
  }

  /** Only the token that was refused: another request may have brought a new one since. */
  discard(value: string): void {
    if (this.#token?.value === value) this.#token = undefined;
  }

  /** One at a time, and not ended by the leaving of whoever began it. */
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

/** A client that has left does not wait; the others do. */
async function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const ended = () => new UpstreamFailure('unreachable', 'The request has ended before it was sent.');
  if (signal.aborted) {
    // Nobody else may be there to take its failure.
    promise.catch(() => {});
    throw ended();
  }
  let leave = () => {};
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(ended());
    signal.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
