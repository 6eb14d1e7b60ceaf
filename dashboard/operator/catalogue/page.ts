/** /operator/catalogue */
import { createRoute } from '@tanstack/react-router';
import { operatorParent } from '../../app/router/parents.ts';
import { choiceOf, present, textOf } from '../../app/router/search.ts';
import { catalogueQuery, catalogueTabs, priceListQuery } from './queries.ts';

export const cataloguePage = createRoute({
  getParentRoute: () => operatorParent,
  path: '/operator/catalogue',
  validateSearch: (search) =>
    present({
      tab: choiceOf(search, 'tab', catalogueTabs),
      search: textOf(search, 'search'),
      model: textOf(search, 'model'),
    }),
  loader: ({ context }) => {
    void context.queries.prefetchQuery(catalogueQuery);
    void context.queries.prefetchQuery(priceListQuery);
  },
}).lazy(async () => (await import('./catalogue-page.tsx')).catalogueRoute);
