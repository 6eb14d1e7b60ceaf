/** The route /login. */
import { createRoute } from '@tanstack/react-router';
import { leaveIfSignedIn, publicParent } from '../../app/router/parents.ts';
import { present, textOf } from '../../app/router/search.ts';

export const loginPage = createRoute({
  getParentRoute: () => publicParent,
  path: '/login',
  /** `back`: the page that asked for the log-in. `ended`: there was a session, which ended. */
  validateSearch: (search) => present({ back: textOf(search, 'back'), ended: textOf(search, 'ended') }),
  beforeLoad: ({ context, search }) => leaveIfSignedIn(context, search.back),
}).lazy(async () => (await import('./login-page.tsx')).loginRoute);
