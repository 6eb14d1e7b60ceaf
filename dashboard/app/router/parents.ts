/** The routes that pages hang on: those for everyone, those for users, and those for operators. */

import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, notFound, redirect } from '@tanstack/react-router';
import { may, unmetSignIn } from '../session/permissions.ts';
import type { Permission } from '../session/place.ts';
import { session } from '../session/session.ts';
import { PublicLayout } from '../shell/public-layout.tsx';
import { Shell } from '../shell/shell.tsx';
import { takePageAfterSignIn } from '../single-sign-on/begin-single-sign-on.ts';
import { backPath } from './search.ts';

interface PageContext {
  readonly queries: QueryClient;
  /** Whether the dashboard has a page at this path. */
  isPage(path: string): boolean;
}

export const rootRoute = createRootRouteWithContext<PageContext>()();

/** Pages that need no log-in. */
export const publicParent = createRoute({ getParentRoute: () => rootRoute, id: 'public', component: PublicLayout });

/** For pages that are of no use once someone is signed in. Throws a redirect; without a response, the page is shown. */
export async function leaveIfSignedIn(context: PageContext, back?: string): Promise<void> {
  const user = await session.start().catch(() => undefined);
  if (user !== undefined) throw returnTo(back, context);
}

const returnTo = (back: string | undefined, { isPage }: PageContext) =>
  redirect({ href: backPath(back, { origin: location.origin, isPage }) });

/**
 * Pages of a user. Users who are not logged in are sent to the log-in, and return afterwards. Each page names the permission
 * that it needs; whose role does not have it, gets the 404 page.
 */
export const userParent = createRoute({
  getParentRoute: () => rootRoute,
  id: 'user',
  beforeLoad: async ({ context, location, matches }) => {
    const user = await session.start();
    if (user !== undefined) {
      const back = takePageAfterSignIn();
      if (back !== undefined && location.href === '/') throw returnTo(back, context);
      const { permission } = matches.at(-1)?.staticData ?? {};
      // Where the sign-in rule keeps everyone out, the frame says so instead of the page.
      if (!may(permission) && unmetSignIn() === null) throw notFound();
      return { user };
    }
    const state = session.state();
    const ended = state.status === 'signedOut' && state.ended;
    const back = location.href === '/' ? undefined : location.href;
    throw redirect({ to: '/login', search: { ...(back && { back }), ...(ended && { ended: '1' }) } });
  },
  component: Shell,
});

/** Pages for operators only. */
export const operatorParent = createRoute({
  getParentRoute: () => userParent,
  id: 'operator',
  beforeLoad: ({ context }) => {
    if (context.user.role !== 'operator') throw notFound();
  },
});

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Without it, the role in the organization cannot open the page. */
    readonly permission?: Permission;
  }
}
