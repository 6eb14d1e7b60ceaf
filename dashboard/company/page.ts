/** The route /company. */
import { createRoute } from '@tanstack/react-router';
import { userParent } from '../app/router/parents.ts';
import { profileQuery } from '../app/api/shared-queries.ts';

export const companyPage = createRoute({
  getParentRoute: () => userParent,
  path: '/company',
  loader: ({ context }) => void context.queries.prefetchQuery(profileQuery),
}).lazy(async () => (await import('./company-page.tsx')).companyRoute);
