/** The route /profile. */
import { createRoute } from '@tanstack/react-router';
import { profileQuery } from '../app/api/shared-queries.ts';
import { userParent } from '../app/router/parents.ts';
import { sessionsQuery } from './queries.ts';
import { secondFactorsQuery } from './second-factor/queries.ts';

export const profilePage = createRoute({
  getParentRoute: () => userParent,
  path: '/profile',
  staticData: { permission: 'profile:manage' },
  loader: ({ context }) => {
    void context.queries.prefetchQuery(profileQuery);
    void context.queries.prefetchQuery(sessionsQuery);
    void context.queries.prefetchQuery(secondFactorsQuery);
  },
}).lazy(async () => (await import('./profile-page.tsx')).profileRoute);
