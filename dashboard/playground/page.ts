/** The route /playground. */
import { createRoute } from '@tanstack/react-router';
import { priceListQuery, siteQuery } from '../app/api/shared-queries.ts';
import { userParent } from '../app/router/parents.ts';
import { present, textOf } from '../app/router/search.ts';

export const playgroundPage = createRoute({
  getParentRoute: () => userParent,
  path: '/playground',
  staticData: { permission: 'keys:manage' },
  validateSearch: (search) => present({ model: textOf(search, 'model'), with: textOf(search, 'with') }),
  loader: ({ context }) => {
    void context.queries.prefetchQuery(priceListQuery);
    void context.queries.prefetchQuery(siteQuery);
  },
}).lazy(async () => (await import('./playground-page.tsx')).playgroundRoute);
