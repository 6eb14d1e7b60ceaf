/** /operator/mails */
import { createRoute } from '@tanstack/react-router';
import { operatorParent } from '../../app/router/parents.ts';
import { choiceOf, present } from '../../app/router/search.ts';
import { cursorOf } from '../paging.ts';
import { mailFilters, mailsQuery } from './queries.ts';

export const mailsPage = createRoute({
  getParentRoute: () => operatorParent,
  path: '/operator/mails',
  validateSearch: (search) => present({ state: choiceOf(search, 'state', mailFilters), cursor: cursorOf(search) }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queries.prefetchQuery(mailsQuery(deps)),
}).lazy(async () => (await import('./mails-page.tsx')).mailsRoute);
