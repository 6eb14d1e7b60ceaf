/**
 * The user's session. The access token is only in this tab's memory; the refresh token is in a cookie that scripts
 * cannot read, and the browser sends it to the endpoints that need it.
 */

import { useSyncExternalStore } from 'react';
import { errorOfResponse, networkError } from '../api/api-error.ts';
import { readSetting, writeSetting } from '../settings.ts';
import { alone, refresh, sessionKey, sessionTimeoutMs, takeEarlyRefresh } from './refresh.ts';

export interface SessionUser {
  readonly id: number;
  readonly email: string;
  readonly displayName: string | null;
  readonly role: 'customer' | 'operator';
}

export type SessionState =
  | { readonly status: 'starting' }
  /** `ended`: it ended without the user's wish. */
  | { readonly status: 'signedOut'; readonly ended: boolean }
  | { readonly status: 'signedIn'; readonly user: SessionUser };

interface Tokens {
  readonly accessToken: string;
  readonly expiresIn: number;
  readonly user: SessionUser;
}

const channel = new BroadcastChannel('gateway.session');
/** Refreshed this long before it expires, so that no call has to be repeated. */
const expiryMarginMs = 30_000;

class Session {
  #state: SessionState = { status: 'starting' };
  #token: { text: string; expiresAt: number } | undefined;
  #starting: Promise<unknown> | undefined;
  readonly #listeners = new Set<() => void>();

  constructor() {
    // Another tab signed in or out.
    channel.onmessage = ({ data }: MessageEvent<number | null>) => this.#follow(data);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): SessionState => this.#state;

  /** Resolves with the user, or undefined if no one is signed in. Throws ApiError if that cannot be determined now. */
  async start(): Promise<SessionUser | undefined> {
    if (this.#state.status === 'starting') {
      if (readSetting(sessionKey) === undefined) this.#set({ status: 'signedOut', ended: false });
      else await this.#startOnce();
    }
    return this.#state.status === 'signedIn' ? this.#state.user : undefined;
  }

  /** The tokens of a log-in or a sign-up. */
  begin(tokens: Tokens): void {
    this.#take(tokens);
    channel.postMessage(tokens.user.id);
  }

  /** After a change of the profile, so that everything that names the user is updated. */
  rename({ email, displayName }: Pick<SessionUser, 'email' | 'displayName'>): void {
    if (this.#state.status !== 'signedIn') return;
    this.#set({ status: 'signedIn', user: { ...this.#state.user, email, displayName } });
  }

  /** Ends the session here and in other tabs. Resolves with whether it has ended on the server too. */
  async signOut(): Promise<boolean> {
    const text = this.#token?.text;
    const headers: HeadersInit = text === undefined ? {} : { authorization: `Bearer ${text}` };
    const leave = () =>
      fetch('/api/auth/logout', { method: 'POST', headers, signal: AbortSignal.timeout(sessionTimeoutMs) });
    const hasEnded = await alone(leave).then(
      ({ ok, status }) => ok || status === 401,
      () => false,
    );
    this.#forget({ ended: false });
    channel.postMessage(null);
    return hasEnded;
  }

  /** Finds out whether the session still exists. */
  async check(): Promise<void> {
    await this.#refresh(this.#token?.text).catch(() => {});
  }

  /** `fetch` with the access token. If the token is refused, a new one is tried once. */
  readonly fetch = async (request: Request): Promise<Response> => {
    await this.start();
    const token = this.#token;
    if (token === undefined) return fetch(request);
    const isStale = token.expiresAt - expiryMarginMs < Date.now();
    const first = isStale ? await this.#refresh(token.text) : token.text;
    if (first === undefined) return fetch(request);
    const response = await fetch(withToken(request.clone(), first));
    if (response.status !== 401 || !(await isTokenRefused(response))) return response;
    const second = await this.#refresh(first);
    return second === undefined ? response : fetch(withToken(request, second));
  };

  /** One call, however many parts of the page ask. */
  #startOnce(): Promise<unknown> {
    this.#starting ??= this.#requestFirst().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  #requestFirst(): Promise<unknown> {
    const early = takeEarlyRefresh();
    return early === undefined ? this.#refresh(undefined) : this.#read(early);
  }

  /** A new access token in place of `stale`; undefined if the session has ended. Throws ApiError if neither is sure. */
  #refresh(stale: string | undefined): Promise<string | undefined> {
    return alone(async () => {
      // Another call of this tab has refreshed in the meantime.
      if (this.#token !== undefined && this.#token.text !== stale) return this.#token.text;
      return this.#read(refresh());
    });
  }

  async #read(pending: Promise<Response>): Promise<string | undefined> {
    const response = await pending.catch((cause: unknown) => {
      throw networkError(cause);
    });
    const body: unknown = await response.json().catch(() => undefined);
    if (response.ok) return this.#take(body as Tokens);
    const error = errorOfResponse(response, body);
    if (error.status !== 401) throw error;
    this.#forget({ ended: true });
    return undefined;
  }

  #take({ accessToken, expiresIn, user }: Tokens): string {
    this.#token = { text: accessToken, expiresAt: Date.now() + expiresIn * 1_000 };
    writeSetting(sessionKey, String(user.id));
    this.#set({ status: 'signedIn', user });
    return accessToken;
  }

  #forget({ ended }: { ended: boolean }): void {
    this.#token = undefined;
    writeSetting(sessionKey, undefined);
    this.#set({ status: 'signedOut', ended });
  }

  #follow(userId: number | null): void {
    const own = this.#state.status === 'signedIn' ? this.#state.user.id : undefined;
    if (userId === null && own !== undefined) this.#forget({ ended: false });
    // What this tab shows belongs to someone else now, or it waits at the log-in.
    if (userId !== null && userId !== own) location.reload();
  }

  #set(state: SessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

export const session = new Session();

/** The user who is signed in, for components. Undefined for the moment between the end of a session and the log-in page. */
export function useUser(): SessionUser | undefined {
  const state = useSyncExternalStore(session.subscribe, session.state);
  return state.status === 'signedIn' ? state.user : undefined;
}

function withToken(request: Request, token: string): Request {
  request.headers.set('authorization', `Bearer ${token}`);
  return request;
}

/** A wrong password is a 401 too, and no reason for a new token. */
async function isTokenRefused(response: Response): Promise<boolean> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return errorOfResponse(response, body).code === 'invalid_token';
}
