/** The route /webhooks. */
import { createRoute } from '@tanstack/react-router';
import { userParent } from '../app/router/parents.ts';
import { present, textOf } from '../app/router/search.ts';
import { deliveriesQuery, endpointsQuery } from './queries.ts';

export const webhooksPage = createRoute({
  getParentRoute: () => userParent,
  path: '/webhooks',
  staticData: { permission: 'webhooks:read' },
  /** The endpoint whose deliveries are open, and a page of them. */
  validateSearch: (search) => present({ endpoint: textOf(search, 'endpoint'), cursor: textOf(search, 'cursor') }),
  loaderDeps: ({ search: { endpoint, cursor } }) => ({ endpoint, cursor }),
  loader: ({ context: { queries }, deps: { endpoint, cursor } }) => {
    void queries.prefetchQuery(endpointsQuery);
    if (endpoint !== undefined) void queries.prefetchQuery(deliveriesQuery(endpoint, cursor));
  },
}).lazy(async () => (await import('./webhooks-page.tsx')).webhooksRoute);
