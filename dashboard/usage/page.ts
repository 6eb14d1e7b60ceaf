/** The route /usage. */
import { createRoute } from '@tanstack/react-router';
import { userParent } from '../app/router/parents.ts';
import { choiceOf, present, rangeSearch } from '../app/router/search.ts';
import { may } from '../app/session/permissions.ts';
import { projectsQuery } from '../organization/projects/queries.ts';
import { membersQuery } from '../organization/queries.ts';
import { measures } from './chart-data.ts';
import { isTooLong, shownRange, slotOfRange } from './period.ts';
import { usageOfDaysQuery } from './queries.ts';
import { usageGroups } from './usage-groups.ts';

export const usagePage = createRoute({
  getParentRoute: () => userParent,
  path: '/usage',
  staticData: { permission: 'usage:read' },
  validateSearch: (search) =>
    present({
      ...rangeSearch(search),
      by: choiceOf(search, 'by', usageGroups),
      show: choiceOf(search, 'show', measures),
    }),
  loaderDeps: ({ search: { from, to, by } }) => ({ ...present({ from, to }), by: by ?? ('model' as const) }),
  loader: ({ context, deps }) => {
    if (may('projects:read')) void context.queries.prefetchQuery(projectsQuery);
    if (may('members:read')) void context.queries.prefetchQuery(membersQuery);
    const range = shownRange(deps);
    if (isTooLong(range)) return;
    void context.queries.prefetchQuery(usageOfDaysQuery(range, slotOfRange(range), deps.by));
  },
}).lazy(async () => (await import('./usage-page.tsx')).usageRoute);
