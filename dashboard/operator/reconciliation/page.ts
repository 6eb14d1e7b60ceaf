/** /operator/reconciliation */
import { createRoute } from '@tanstack/react-router';
import { operatorParent } from '../../app/router/parents.ts';
import { reconciliationQuery, sealsQuery } from './queries.ts';

export const reconciliationPage = createRoute({
  getParentRoute: () => operatorParent,
  path: '/operator/reconciliation',
  loader: ({ context: { queries } }) => {
    void queries.prefetchQuery(reconciliationQuery);
    void queries.prefetchQuery(sealsQuery);
  },
}).lazy(async () => (await import('./reconciliation-page.tsx')).reconciliationRoute);
