/** The route /alerts. */
import { createRoute } from '@tanstack/react-router';
import { userParent } from '../app/router/parents.ts';
import { addressesQuery, settingsQuery } from './queries.ts';

export const alertsPage = createRoute({
  getParentRoute: () => userParent,
  path: '/alerts',
  loader: ({ context }) => {
    void context.queries.prefetchQuery(settingsQuery);
    void context.queries.prefetchQuery(addressesQuery);
  },
}).lazy(async () => (await import('./alerts-page.tsx')).alertsRoute);
