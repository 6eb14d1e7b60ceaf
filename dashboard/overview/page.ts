/** The route of the overview, /. */
import { createRoute } from '@tanstack/react-router';
import { userParent } from '../app/router/parents.ts';
import { may } from '../app/session/permissions.ts';
import { lastDays } from '../app/time/days.ts';
import { usageOfDaysQuery } from '../usage/queries.ts';
import { alertSettingsQuery, balanceQuery, failedRequestsQuery, firstStepsQuery } from './queries.ts';

export const overviewPage = createRoute({
  getParentRoute: () => userParent,
  path: '/',
  staticData: { permission: 'balance:read' },
  loader: ({ context: { queries } }) => {
    void queries.prefetchQuery(firstStepsQuery);
    void queries.prefetchQuery(balanceQuery);
    void queries.prefetchQuery(usageOfDaysQuery(lastDays(30), 'day', 'model'));
    if (may('payments:read')) void queries.prefetchQuery(alertSettingsQuery);
    void queries.prefetchQuery(failedRequestsQuery);
  },
}).lazy(async () => (await import('./overview-page.tsx')).overviewRoute);
