/** The route /login. */
import { createRoute, redirect } from '@tanstack/react-router';
import { leaveIfSignedIn, publicParent } from '../../app/router/parents.ts';
import { present, textOf } from '../../app/router/search.ts';
import { may } from '../../app/session/permissions.ts';
import { session } from '../../app/session/session.ts';
import { takePageAfterSignIn } from '../../app/single-sign-on/begin-single-sign-on.ts';
import { failureSearch } from '../../app/single-sign-on/sign-in-failure.tsx';

export const loginPage = createRoute({
  getParentRoute: () => publicParent,
  path: '/login',
  /** `back`: the page that asked for the log-in. `ended`: there was a session, which ended. `error`: of single sign-on. */
  validateSearch: (search) =>
    present({ back: textOf(search, 'back'), ended: textOf(search, 'ended'), ...failureSearch(search) }),
  beforeLoad: async ({ context, search }) => {
    const user = await session.start().catch(() => undefined);
    // Their test of the identity provider has failed.
    if (user !== undefined && search.error !== undefined && may('organization:manage')) {
      throw redirect({ to: '/organization', search: { tab: 'sign-in', ...failureSearch(search) } });
    }
    await leaveIfSignedIn(context, search.back);
    // Back from an identity provider that did not sign them in. There are other ways to the page they asked for.
    const back = search.error === undefined ? undefined : takePageAfterSignIn();
    if (back !== undefined) throw redirect({ to: '/login', search: { ...search, back }, replace: true });
  },
}).lazy(async () => (await import('./login-page.tsx')).loginRoute);
