/** The route /transactions. */
import { createRoute } from '@tanstack/react-router';
import { userParent } from '../app/router/parents.ts';
import { choiceOf, present, rangeSearch, textOf } from '../app/router/search.ts';
import { transactionsQuery, transactionTypes } from './queries.ts';

export const transactionsPage = createRoute({
  getParentRoute: () => userParent,
  path: '/transactions',
  staticData: { permission: 'payments:read' },
  validateSearch: (search) =>
    present({
      ...rangeSearch(search),
      type: choiceOf(search, 'type', transactionTypes),
      cursor: textOf(search, 'cursor'),
    }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queries.prefetchQuery(transactionsQuery(deps)),
}).lazy(async () => (await import('./transactions-page.tsx')).transactionsRoute);
