/** The route /keys. */
import { createRoute } from '@tanstack/react-router';
import { userParent } from '../app/router/parents.ts';
import { choiceOf, present } from '../app/router/search.ts';
import { may } from '../app/session/permissions.ts';
import { projectsQuery } from '../organization/projects/queries.ts';
import { keyKinds, keyPermissions, keysQuery } from './queries.ts';

export const keysPage = createRoute({
  getParentRoute: () => userParent,
  path: '/keys',
  staticData: { permission: 'keys:read' },
  validateSearch: (search) => present({ kind: choiceOf(search, 'kind', keyKinds) }),
  loaderDeps: ({ search }) => ({ kind: search.kind ?? 'proxy' }),
  loader: ({ context, deps: { kind } }) => {
    if (may(keyPermissions[kind].read)) void context.queries.prefetchQuery(keysQuery(kind));
    if (kind === 'proxy' && may('projects:read')) void context.queries.prefetchQuery(projectsQuery);
  },
}).lazy(async () => (await import('./keys-page.tsx')).keysRoute);
