/** /reset-password?token=…: where the mailed link leads. */
import { createRoute } from '@tanstack/react-router';
import { publicParent } from '../../app/router/parents.ts';
import { present, textOf } from '../../app/router/search.ts';

export const resetPasswordPage = createRoute({
  getParentRoute: () => publicParent,
  path: '/reset-password',
  validateSearch: (search) => present({ token: textOf(search, 'token') }),
}).lazy(async () => (await import('./reset-password-page.tsx')).resetPasswordRoute);
