/** /operator/audit */
import { createRoute } from '@tanstack/react-router';
import { operatorParent } from '../../app/router/parents.ts';
import { choiceOf, idOf, present, rangeSearch, textOf } from '../../app/router/search.ts';
import { cursorOf } from '../paging.ts';
import { auditActions } from './audit-actions.ts';
import { auditQuery } from './queries.ts';

export const auditPage = createRoute({
  getParentRoute: () => operatorParent,
  path: '/operator/audit',
  validateSearch: (search) =>
    present({
      actor: textOf(search, 'actor'),
      action: choiceOf(search, 'action', auditActions),
      accountId: idOf(search, 'accountId'),
      ...rangeSearch(search),
      cursor: cursorOf(search),
    }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queries.prefetchQuery(auditQuery(deps)),
}).lazy(async () => (await import('./audit-page.tsx')).auditRoute);
