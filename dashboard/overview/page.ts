/** The route of the overview, /. */
import { createRoute } from '@tanstack/react-router';
import { userParent } from '../app/router/parents.ts';
import { balanceQuery } from './queries.ts';

export const overviewPage = createRoute({
  getParentRoute: () => userParent,
  path: '/',
  loader: ({ context }) => void context.queries.prefetchQuery(balanceQuery),
}).lazy(async () => (await import('./overview-page.tsx')).overviewRoute);
