/** The route /company. */
import { createRoute } from '@tanstack/react-router';
import { profileQuery } from '../app/api/shared-queries.ts';
import { userParent } from '../app/router/parents.ts';

export const companyPage = createRoute({
  getParentRoute: () => userParent,
  path: '/company',
  staticData: { permission: 'payments:read' },
  loader: ({ context }) => void context.queries.prefetchQuery(profileQuery),
}).lazy(async () => (await import('./company-page.tsx')).companyRoute);
