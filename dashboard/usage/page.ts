/** The route /usage. */
import { createRoute } from '@tanstack/react-router';
import { userParent } from '../app/router/parents.ts';
import { choiceOf, present, rangeSearch, textOf } from '../app/router/search.ts';
import { may } from '../app/session/permissions.ts';
import { dimensionsQuery } from '../organization/dimensions/queries.ts';
import { projectsQuery } from '../organization/projects/queries.ts';
import { membersQuery } from '../organization/queries.ts';
import { measures } from './chart-data.ts';
import { isTooLong, shownRange, slotOfRange } from './period.ts';
import { usageOfDaysQuery } from './queries.ts';
import { isDimension, type UsageGroup, usageGroups } from './usage-groups.ts';

export const usagePage = createRoute({
  getParentRoute: () => userParent,
  path: '/usage',
  staticData: { permission: 'usage:read' },
  validateSearch: (search) =>
    present({
      ...rangeSearch(search),
      by: groupIn(search),
      show: choiceOf(search, 'show', measures),
    }),
  loaderDeps: ({ search: { from, to, by } }) => ({ ...present({ from, to }), by: by ?? ('model' as const) }),
  loader: ({ context, deps }) => {
    if (may('projects:read')) void context.queries.prefetchQuery(projectsQuery);
    if (may('members:read')) void context.queries.prefetchQuery(membersQuery);
    void context.queries.prefetchQuery(dimensionsQuery);
    const range = shownRange(deps);
    if (isTooLong(range)) return;
    void context.queries.prefetchQuery(usageOfDaysQuery(range, slotOfRange(range), deps.by));
  },
}).lazy(async () => (await import('./usage-page.tsx')).usageRoute);

/** A dimension that the organization has never asked for is refused by the API. */
function groupIn(search: Readonly<Record<string, unknown>>): UsageGroup | undefined {
  const by = textOf(search, 'by') ?? '';
  return isDimension(by) ? by : choiceOf(search, 'by', usageGroups);
}
