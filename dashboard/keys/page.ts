/** The route /keys. */
import { createRoute } from '@tanstack/react-router';
import { userParent } from '../app/router/parents.ts';
import { choiceOf, present } from '../app/router/search.ts';
import { keyKinds, keysQuery } from './queries.ts';

export const keysPage = createRoute({
  getParentRoute: () => userParent,
  path: '/keys',
  validateSearch: (search) => present({ kind: choiceOf(search, 'kind', keyKinds) }),
  loaderDeps: ({ search }) => ({ kind: search.kind ?? 'proxy' }),
  loader: ({ context, deps }) => void context.queries.prefetchQuery(keysQuery(deps.kind)),
}).lazy(async () => (await import('./keys-page.tsx')).keysRoute);
