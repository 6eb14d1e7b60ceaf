/** /verify-email?token=…: where the mailed link leads. */
import { createRoute } from '@tanstack/react-router';
import { publicParent } from '../../app/router/parents.ts';
import { present, textOf } from '../../app/router/search.ts';
import { session } from '../../app/session/session.ts';

export const verifyEmailPage = createRoute({
  getParentRoute: () => publicParent,
  path: '/verify-email',
  validateSearch: (search) => present({ token: textOf(search, 'token') }),
  // The server treats a user who is logged in differently.
  beforeLoad: () => session.start().then(() => {}),
}).lazy(async () => (await import('./verify-email-page.tsx')).verifyEmailRoute);
