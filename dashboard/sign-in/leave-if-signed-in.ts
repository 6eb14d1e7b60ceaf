/** For pages that are of no use to a user who is signed in. */
import { redirect } from '@tanstack/react-router';
import { session } from '../app/session/session.ts';

/** Throws a redirect. Without an answer from the server, the page is shown. */
export async function leaveIfSignedIn(back?: string): Promise<void> {
  const user = await session.start().catch(() => undefined);
  if (user !== undefined) throw redirect({ href: safeBackPath(back) });
}

/** Where a log-in leads: the page that asked for it. An address of another site is ignored. */
function safeBackPath(back: string | undefined): string {
  return back !== undefined && /^\/(?![/\\])/.test(back) ? back : '/';
}
