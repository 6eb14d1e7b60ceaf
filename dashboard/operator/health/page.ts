/** /operator/health */
import { createRoute } from '@tanstack/react-router';
import { operatorParent } from '../../app/router/parents.ts';
import { choiceOf, present } from '../../app/router/search.ts';
import { deploymentFilters, healthQuery, lagQuery } from './queries.ts';

export const healthPage = createRoute({
  getParentRoute: () => operatorParent,
  path: '/operator/health',
  validateSearch: (search) => present({ show: choiceOf(search, 'show', deploymentFilters) }),
  loader: ({ context }) => {
    void context.queries.prefetchQuery(healthQuery);
    void context.queries.prefetchQuery(lagQuery);
  },
}).lazy(async () => (await import('./health-page.tsx')).healthRoute);
