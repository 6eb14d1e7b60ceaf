/** /operator/accounts */
import { createRoute } from '@tanstack/react-router';
import { operatorParent } from '../../app/router/parents.ts';
import { choiceOf, present, textOf } from '../../app/router/search.ts';
import { cursorOf } from '../paging.ts';
import { accountStates, accountsQuery } from './queries.ts';

export const accountsPage = createRoute({
  getParentRoute: () => operatorParent,
  path: '/operator/accounts',
  validateSearch: (search) =>
    present({
      search: textOf(search, 'search'),
      state: choiceOf(search, 'state', accountStates),
      cursor: cursorOf(search),
    }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queries.prefetchQuery(accountsQuery(deps)),
}).lazy(async () => (await import('./accounts-page.tsx')).accountsRoute);
