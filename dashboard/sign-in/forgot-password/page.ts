/** The route /forgot-password. */
import { createRoute } from '@tanstack/react-router';
import { publicParent } from '../../app/router/parents.ts';

export const forgotPasswordPage = createRoute({
  getParentRoute: () => publicParent,
  path: '/forgot-password',
}).lazy(async () => (await import('./forgot-password-page.tsx')).forgotPasswordRoute);
