/** The route /organization. */
import { createRoute } from '@tanstack/react-router';
import { userParent } from '../app/router/parents.ts';
import { choiceOf, present, rangeSearch, textOf } from '../app/router/search.ts';
import { may } from '../app/session/permissions.ts';
import { failureSearch } from '../app/single-sign-on/sign-in-failure.tsx';
import { auditLogQuery, organizationActions } from './audit-log/queries.ts';
import { budgetsQuery } from './budgets/queries.ts';
import { dimensionsQuery } from './dimensions/queries.ts';
import { projectsQuery } from './projects/queries.ts';
import { invitationsQuery, membersQuery, organizationQuery, organizationTabs } from './queries.ts';

export const organizationPage = createRoute({
  getParentRoute: () => userParent,
  path: '/organization',
  staticData: { permission: 'organization:read' },
  validateSearch: (search) =>
    present({
      tab: choiceOf(search, 'tab', organizationTabs),
      ...rangeSearch(search),
      action: choiceOf(search, 'action', organizationActions),
      cursor: textOf(search, 'cursor'),
      ...failureSearch(search),
    }),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, deps: { tab, error: _, reason: __, ...search } }) => {
    if (tab === 'audit' && may('audit:read')) return void queries.prefetchQuery(auditLogQuery(search));
    if (may('projects:read') && (tab === 'projects' || !may('members:read'))) void queries.prefetchQuery(projectsQuery);
    if (may('budgets:read') && tab === 'budgets') void queries.prefetchQuery(budgetsQuery);
    void queries.prefetchQuery(organizationQuery);
    if (tab === 'settings') void queries.prefetchQuery(dimensionsQuery);
    if (!may('members:read')) return;
    void queries.prefetchQuery(membersQuery);
    void queries.prefetchQuery(invitationsQuery);
  },
}).lazy(async () => (await import('./organization-page.tsx')).organizationRoute);
