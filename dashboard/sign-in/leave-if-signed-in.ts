/** For pages that are of no use to a user who is signed in. */
import { redirect } from '@tanstack/react-router';
import type { PageContext } from '../app/router/parents.ts';
import { session } from '../app/session/session.ts';
import { backPath } from './back-path.ts';

/** Throws a redirect. Without a response from the server, the page is shown. */
export async function leaveIfSignedIn({ isPage }: PageContext, back?: string): Promise<void> {
  const user = await session.start().catch(() => undefined);
  if (user !== undefined) throw redirect({ href: backPath(back, { origin: location.origin, isPage }) });
}
