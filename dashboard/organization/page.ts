/** The route /organization. */
import { createRoute } from '@tanstack/react-router';
import { userParent } from '../app/router/parents.ts';
import { choiceOf, present } from '../app/router/search.ts';
import { may } from '../app/session/permissions.ts';
import { invitationsQuery, membersQuery, organizationQuery, organizationTabs } from './queries.ts';

export const organizationPage = createRoute({
  getParentRoute: () => userParent,
  path: '/organization',
  staticData: { permission: 'organization:read' },
  validateSearch: (search) => present({ tab: choiceOf(search, 'tab', organizationTabs) }),
  loader: ({ context: { queries } }) => {
    void queries.prefetchQuery(organizationQuery);
    if (!may('members:read')) return;
    void queries.prefetchQuery(membersQuery);
    void queries.prefetchQuery(invitationsQuery);
  },
}).lazy(async () => (await import('./organization-page.tsx')).organizationRoute);
