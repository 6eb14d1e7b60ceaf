/** /operator/accounts/{id} */
import { createRoute, notFound } from '@tanstack/react-router';
import { operatorParent } from '../../app/router/parents.ts';
import { choiceOf, idOf, present, textOf } from '../../app/router/search.ts';
import { accountQuery, accountTabs, transactionTypes } from './queries.ts';

export const accountPage = createRoute({
  getParentRoute: () => operatorParent,
  path: '/operator/accounts/$id',
  validateSearch: (search) =>
    present({
      tab: choiceOf(search, 'tab', accountTabs),
      type: choiceOf(search, 'type', transactionTypes),
      cursor: textOf(search, 'cursor'),
      request: textOf(search, 'request'),
    }),
  beforeLoad: ({ params }) => {
    if (idOf(params, 'id') === undefined) throw notFound();
  },
  loader: ({ context, params }) => void context.queries.prefetchQuery(accountQuery(Number(params.id))),
}).lazy(async () => (await import('./account-page.tsx')).accountRoute);
