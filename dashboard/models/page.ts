/** The route /models. */
import { createRoute } from '@tanstack/react-router';
import { modelKinds } from '../../shared/catalogue/model-kinds.ts';
import { priceListQuery } from '../app/api/shared-queries.ts';
import { userParent } from '../app/router/parents.ts';
import { choiceOf, idOf, present, textOf } from '../app/router/search.ts';
import { sortings } from './select-models.ts';
import { workloadOf } from './workload.ts';

export const modelsPage = createRoute({
  getParentRoute: () => userParent,
  path: '/models',
  staticData: { permission: 'models:read' },
  validateSearch: (search) =>
    present({
      q: textOf(search, 'q'),
      kind: choiceOf(search, 'kind', modelKinds),
      owner: textOf(search, 'owner'),
      sort: choiceOf(search, 'sort', sortings),
      page: idOf(search, 'page'),
      model: textOf(search, 'model'),
      ...workloadOf(search),
    }),
  loader: ({ context }) => void context.queries.prefetchQuery(priceListQuery),
}).lazy(async () => (await import('./models-page.tsx')).modelsRoute);
