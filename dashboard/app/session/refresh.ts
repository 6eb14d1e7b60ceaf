/**
 * Asks for new tokens. Tabs share the cookie with the refresh token, and a refresh replaces it. So they refresh one after the
 * other, and each uses the cookie that the one before has left.
 */
import { readSetting, readTabSetting } from '../settings.ts';

/** The setting that says that there may be a cookie. */
export const sessionKey = 'gateway.session';
/** The setting of a tab that says that it was at an identity provider, which may have sent it back with a cookie. */
export const awaitedKey = 'gateway.awaited-session';
const lockName = 'gateway.session';
/** The other tabs wait for the one that refreshes. */
export const sessionTimeoutMs = 10_000;

declare global {
  /** What the first script of the page has asked. */
  var earlyRefresh: Promise<Response> | undefined;
}

/** If not, nothing needs to be asked. */
export const mayBeSignedIn = (): boolean => wasSignedIn() || readTabSetting(awaitedKey) !== undefined;

export const wasSignedIn = (): boolean => readSetting(sessionKey) !== undefined;

/** Before the dashboard's own script is here: its response is there when that script runs. */
export function refreshEarly(): void {
  globalThis.earlyRefresh = alone(refresh);
  // The script that takes it handles a failure.
  globalThis.earlyRefresh.catch(() => {});
}

/** Once; undefined if nothing was asked. */
export function takeEarlyRefresh(): Promise<Response> | undefined {
  const early = globalThis.earlyRefresh;
  globalThis.earlyRefresh = undefined;
  return early;
}

export function refresh(): Promise<Response> {
  return fetch('/api/auth/refresh', { method: 'POST', signal: AbortSignal.timeout(sessionTimeoutMs) });
}

/** One tab at a time. Plain HTTP has no locks; there, the server forgives a token that was just used. */
export function alone<Result>(work: () => Promise<Result>): Promise<Result> {
  return navigator.locks === undefined ? work() : navigator.locks.request(lockName, work);
}
