/** /accept-invitation?token=…: where the mailed link leads. */
import { createRoute } from '@tanstack/react-router';
import { publicParent } from '../../app/router/parents.ts';
import { present, textOf } from '../../app/router/search.ts';
import { session } from '../../app/session/session.ts';
import { previewQuery } from './queries.ts';

export const acceptInvitationPage = createRoute({
  getParentRoute: () => publicParent,
  path: '/accept-invitation',
  validateSearch: (search) => present({ token: textOf(search, 'token') }),
  // What is to be done depends on who is signed in.
  beforeLoad: () => session.start().then(() => {}),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps: { token } }) => {
    if (token !== undefined) void context.queries.prefetchQuery(previewQuery(token));
  },
}).lazy(async () => (await import('./accept-invitation-page.tsx')).acceptInvitationRoute);
