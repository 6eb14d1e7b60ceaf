/** The route /activity. */
import { createRoute } from '@tanstack/react-router';
import { userParent } from '../app/router/parents.ts';
import { idOf, present, rangeSearch, textOf } from '../app/router/search.ts';
import { may } from '../app/session/permissions.ts';
import { dimensionsQuery } from '../organization/dimensions/queries.ts';
import { projectsQuery } from '../organization/projects/queries.ts';
import { membersQuery } from '../organization/queries.ts';
import { type DimensionGroup, isDimension } from '../usage/usage-groups.ts';
import { receiptQuery, requestsQuery } from './queries.ts';

export const activityPage = createRoute({
  getParentRoute: () => userParent,
  path: '/activity',
  staticData: { permission: 'usage:read' },
  validateSearch: (search) =>
    present({
      ...rangeSearch(search),
      hour: hourOf(textOf(search, 'hour')),
      model: textOf(search, 'model'),
      key: idOf(search, 'key'),
      project: idOf(search, 'project'),
      member: idOf(search, 'member'),
      dimension: dimensionIn(search),
      value: textOf(search, 'value'),
      request: textOf(search, 'request'),
      cursor: textOf(search, 'cursor'),
    }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps: { request, cursor, ...filter } }) => {
    void context.queries.prefetchQuery(requestsQuery(filter, cursor));
    if (may('projects:read')) void context.queries.prefetchQuery(projectsQuery);
    if (may('members:read')) void context.queries.prefetchQuery(membersQuery);
    void context.queries.prefetchQuery(dimensionsQuery);
    if (request !== undefined) void context.queries.prefetchQuery(receiptQuery(request));
  },
}).lazy(async () => (await import('./activity-page.tsx')).activityRoute);

/** The start of an hour as an instant, on a quarter of an hour: there are time zones whose hours begin there. */
function hourOf(text = ''): string | undefined {
  const time = Date.parse(text);
  return time % 900_000 === 0 ? new Date(time).toISOString() : undefined;
}

function dimensionIn(search: Readonly<Record<string, unknown>>): DimensionGroup | undefined {
  const dimension = textOf(search, 'dimension') ?? '';
  return isDimension(dimension) ? dimension : undefined;
}
