/** /operator/reconciliation */
import { createRoute } from '@tanstack/react-router';
import { operatorParent } from '../../app/router/parents.ts';
import { reconciliationQuery } from './queries.ts';

export const reconciliationPage = createRoute({
  getParentRoute: () => operatorParent,
  path: '/operator/reconciliation',
  loader: ({ context }) => void context.queries.prefetchQuery(reconciliationQuery),
}).lazy(async () => (await import('./reconciliation-page.tsx')).reconciliationRoute);
