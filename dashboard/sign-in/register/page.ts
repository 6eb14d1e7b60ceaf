/** The route /register. */
import { createRoute } from '@tanstack/react-router';
import { siteQuery } from '../../app/api/shared-queries.ts';
import { leaveIfSignedIn, publicParent } from '../../app/router/parents.ts';

export const registerPage = createRoute({
  getParentRoute: () => publicParent,
  path: '/register',
  beforeLoad: ({ context }) => leaveIfSignedIn(context),
  loader: ({ context }) => void context.queries.prefetchQuery(siteQuery),
}).lazy(async () => (await import('./register-page.tsx')).registerRoute);
