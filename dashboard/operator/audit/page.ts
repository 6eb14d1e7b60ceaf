/** /operator/audit */
import { createRoute } from '@tanstack/react-router';
import { operatorParent } from '../../app/router/parents.ts';
import { choiceOf, idOf, present, textOf } from '../../app/router/search.ts';
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
      from: dayOf(search, 'from'),
      to: dayOf(search, 'to'),
      cursor: cursorOf(search),
    }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queries.prefetchQuery(auditQuery(deps)),
}).lazy(async () => (await import('./audit-page.tsx')).auditRoute);

/** `?name=2026-11-22` */
function dayOf(search: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const day = textOf(search, name);
  return day !== undefined && /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day)) ? day : undefined;
}
