/**
 * The user's session. The access token is only in this tab's memory; the refresh token is in a cookie that scripts
 * cannot read, and the browser sends it to the endpoints that need it. A session is in one organization.
 */

import { useSyncExternalStore } from 'react';
import { errorOfResponse, networkError } from '../api/api-error.ts';
import { readTabSetting, writeSetting, writeTabSetting } from '../settings.ts';
import {
  isSameAccess,
  isSamePlace,
  placeOf,
  type SessionMessage,
  type SessionOrganization,
  type SessionTokens,
  type SessionUser,
} from './place.ts';
import {
  alone,
  awaitedKey,
  mayBeSignedIn,
  refresh,
  sessionKey,
  sessionTimeoutMs,
  takeEarlyRefresh,
  wasSignedIn,
} from './refresh.ts';

export type SessionState =
  | { readonly status: 'starting' }
  /** `ended`: it ended without the user's wish. */
  | { readonly status: 'signedOut'; readonly ended: boolean }
  | {
      readonly status: 'signedIn';
      readonly user: SessionUser;
      readonly organization: SessionOrganization | undefined;
    };

const channel = new BroadcastChannel('gateway.session');
/** Refreshed this long before it expires, so that no call has to be repeated. */
const expiryMarginMs = 30_000;

class Session {
  #state: SessionState = { status: 'starting' };
  #token: { text: string; expiresAt: number } | undefined;
  #starting: Promise<unknown> | undefined;
  /** The cookie is for another user or organization than this tab shows. */
  #isElsewhere = false;
  readonly #listeners = new Set<() => void>();

  constructor() {
    // Another tab signed in or out, or switched to another organization.
    channel.onmessage = ({ data }: MessageEvent<SessionMessage>) => this.#follow(data);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): SessionState => this.#state;

  /** Resolves with the user, or undefined if no one is signed in. Throws ApiError if that cannot be determined now. */
  async start(): Promise<SessionUser | undefined> {
    if (this.#state.status === 'starting') {
      if (mayBeSignedIn()) await this.#startOnce();
      else this.#set({ status: 'signedOut', ended: false });
    }
    return this.#state.status === 'signedIn' ? this.#state.user : undefined;
  }

  /** The tokens of a log-in or a sign-up. */
  begin(tokens: SessionTokens): void {
    this.#take(tokens);
    tell(placeOf(tokens));
  }

  /**
   * Begins a session in another organization, in place of the present one if there is one, and opens its overview. `send` gets the
   * headers that name the present session. Everything that is shown belongs to the former organization, so the page is loaded again.
   */
  async enter(send: (headers: Record<string, string>) => Promise<SessionTokens>): Promise<never> {
    // A refresh in the meantime would send the cookie of the session that ends.
    const tokens = await alone(async () => send(await this.#ownHeaders()));
    writeSetting(sessionKey, String(tokens.user.id));
    tell(placeOf(tokens));
    return openOverview();
  }

  /** Leaves for an identity provider, which sends this tab back with the cookie of a session. The present one ends. */
  async leaveFor(url: string): Promise<void> {
    if (this.#state.status === 'signedIn') {
      await this.#end();
      writeSetting(sessionKey, undefined);
      tell(null);
    }
    writeTabSetting(awaitedKey, '1');
    location.assign(url);
  }

  /** After a change of the profile, so that everything that names the user is updated. */
  rename({ email, displayName }: Pick<SessionUser, 'email' | 'displayName'>): void {
    if (this.#state.status !== 'signedIn') return;
    this.#set({ ...this.#state, user: { ...this.#state.user, email, displayName } });
  }

  /** As `rename`, for the organization. */
  renameOrganization({ name }: Pick<SessionOrganization, 'name'>): void {
    if (this.#state.status !== 'signedIn' || this.#state.organization === undefined) return;
    this.#set({ ...this.#state, organization: { ...this.#state.organization, name } });
  }

  /** Ends the session here and in other tabs. Resolves with whether it has ended on the server too. */
  async signOut(): Promise<boolean> {
    const hasEnded = await this.#end();
    this.#forget({ ended: false });
    tell(null);
    return hasEnded;
  }

  /** On the server. Resolves with whether it has ended there. */
  #end(): Promise<boolean> {
    const text = this.#token?.text;
    const headers: HeadersInit = text === undefined ? {} : bearer(text);
    const leave = () =>
      fetch('/api/auth/logout', { method: 'POST', headers, signal: AbortSignal.timeout(sessionTimeoutMs) });
    return alone(leave).then(
      ({ ok, status }) => ok || status === 401,
      () => false,
    );
  }

  /** Finds out whether the session still exists, with which role, and whether it satisfies the sign-in rule. */
  async check(): Promise<void> {
    await this.#refresh(this.#token?.text).catch(() => {});
  }

  /** `fetch` with the access token. If the token is refused, a new one is tried once. */
  readonly fetch = async (request: Request): Promise<Response> => {
    await this.start();
    const token = this.#token;
    if (token === undefined) return fetch(request);
    const first = isStale(token) ? await this.#refresh(token.text) : token.text;
    if (first === undefined) return fetch(request);
    const response = await fetch(withToken(request.clone(), first));
    const code = response.status === 401 || response.status === 403 ? await codeOf(response) : undefined;
    if (code !== undefined && this.#isOutdatedBy(code)) void this.check();
    if (code !== 'invalid_token') return response;
    const second = await this.#refresh(first);
    return second === undefined ? response : fetch(withToken(request, second));
  };

  /** Whether the role or the sign-in rule was another one when the page decided to ask. */
  #isOutdatedBy(code: string): boolean {
    if (code === 'role_required') return true;
    return code === 'sign_in_rule' && this.#state.status === 'signedIn' && !this.#state.organization?.unmetSignIn;
  }

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

  /**
   * A new access token in place of `stale`; undefined if the session has ended. Throws ApiError if neither is sure. With a token for
   * another organization nothing is repeated that was meant for this one: the page is left.
   */
  async #refresh(stale: string | undefined): Promise<string | undefined> {
    const text = await alone(async () => {
      // Another call of this tab has refreshed in the meantime.
      if (this.#token !== undefined && this.#token.text !== stale) return this.#token.text;
      return this.#read(refresh());
    });
    return this.#isElsewhere ? openOverview() : text;
  }

  async #read(pending: Promise<Response>): Promise<string | undefined> {
    const response = await pending.catch((cause: unknown) => {
      throw networkError(cause);
    });
    const body: unknown = await response.json().catch(() => undefined);
    if (response.ok) return this.#take(body as SessionTokens);
    const error = errorOfResponse(response, body);
    if (error.status !== 401) throw error;
    if (this.#state.status === 'signedIn') tell('ended');
    // A tab that comes back from an identity provider without a session had none before.
    this.#forget({ ended: wasSignedIn() || readTabSetting(awaitedKey) === undefined });
    return undefined;
  }

  /** Without a lock: the caller holds it. */
  async #ownHeaders(): Promise<Record<string, string>> {
    if (this.#token === undefined) return {};
    const text = isStale(this.#token) ? await this.#read(refresh()) : this.#token.text;
    return text === undefined ? {} : bearer(text);
  }

  #take(tokens: SessionTokens): string | undefined {
    const { accessToken, expiresIn, user } = tokens;
    const before = this.#state.status === 'signedIn' ? this.#state : undefined;
    if (before !== undefined && !isSamePlace(placeOf(before), placeOf(tokens))) {
      this.#isElsewhere = true;
      return undefined;
    }
    this.#token = { text: accessToken, expiresAt: Date.now() + expiresIn * 1_000 };
    writeSetting(sessionKey, String(user.id));
    const wasAwaited = readTabSetting(awaitedKey) !== undefined;
    writeTabSetting(awaitedKey, undefined);
    const organization = tokens.organization ?? before?.organization;
    this.#set({ status: 'signedIn', user, organization });
    const place = placeOf({ user, organization });
    if (before === undefined ? wasAwaited : !isSameAccess(placeOf(before), place)) tell(place);
    return accessToken;
  }

  #forget({ ended }: { ended: boolean }): void {
    this.#token = undefined;
    writeSetting(sessionKey, undefined);
    writeTabSetting(awaitedKey, undefined);
    this.#set({ status: 'signedOut', ended });
  }

  #follow(message: SessionMessage): void {
    const own = this.#state.status === 'signedIn' ? placeOf(this.#state) : undefined;
    if (message === null || message === 'ended') {
      if (own === undefined) return;
      if (message === null) this.#forget({ ended: false });
      else void this.check();
      return;
    }
    const place = typeof message === 'number' ? { userId: message } : message;
    // What this tab shows belongs to someone else now, or it waits at the log-in.
    if (own?.userId !== place.userId) location.reload();
    else if (!isSamePlace(own, place)) void openOverview();
    else if (typeof message === 'object' && !isSameAccess(own, message)) void this.check();
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

const tell = (message: SessionMessage) => channel.postMessage(message);

/** Loads the page again. Never resolves: everything that waits for it ends with the page. */
function openOverview(): Promise<never> {
  location.replace('/');
  return new Promise(() => {});
}

const isStale = ({ expiresAt }: { expiresAt: number }) => expiresAt - expiryMarginMs < Date.now();

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

function withToken(request: Request, token: string): Request {
  request.headers.set('authorization', `Bearer ${token}`);
  return request;
}

/** A wrong password is a 401 too, and no reason for a new token. */
async function codeOf(response: Response): Promise<string> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return errorOfResponse(response, body).code;
}
