/** The route /alerts. */
import { createRoute } from '@tanstack/react-router';
import { profileQuery } from '../app/api/shared-queries.ts';
import { userParent } from '../app/router/parents.ts';
import { balanceQuery } from '../overview/queries.ts';
import { addressesQuery, settingsQuery } from './queries.ts';

export const alertsPage = createRoute({
  getParentRoute: () => userParent,
  path: '/alerts',
  staticData: { permission: 'payments:read' },
  loader: ({ context: { queries } }) => {
    void queries.prefetchQuery(settingsQuery);
    void queries.prefetchQuery(addressesQuery);
    void queries.prefetchQuery(balanceQuery);
    void queries.prefetchQuery(profileQuery);
  },
}).lazy(async () => (await import('./alerts-page.tsx')).alertsRoute);
