/** For pages that are of no use to a user who is signed in: where the log-in leads. */
import { redirect } from '@tanstack/react-router';
import type { PageContext } from '../app/router/parents.ts';
import { session } from '../app/session/session.ts';

/** Throws a redirect. Without a response from the server, the page is shown. */
export async function leaveIfSignedIn({ isPage }: PageContext, back?: string): Promise<void> {
  const user = await session.start().catch(() => undefined);
  if (user !== undefined) throw redirect({ href: backPath(back, { origin: location.origin, isPage }) });
}

interface Site {
  readonly origin: string;
  /** Whether the router has a page at this path. */
  isPage(path: string): boolean;
}

/**
 * Where a log-in leads: the page that asked for it, if it is one of the dashboard's. Everybody can write a link to the
 * log-in, so any other address leads to the first page. It is parsed as browsers do, which skip tabs and line breaks and
 * take a backslash for a slash.
 */
export function backPath(back: string | undefined, { origin, isPage }: Site): string {
  const url = back === undefined ? null : URL.parse(back, origin);
  if (url === null || url.origin !== origin) return '/';
  const { pathname, search, hash } = url;
  // A path of two slashes would be another host.
  return !pathname.startsWith('//') && isPage(pathname) ? pathname + search + hash : '/';
}
