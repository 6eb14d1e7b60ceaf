/** Starts the dashboard in the browser. */
import './i18n/start-i18n.ts';
import './first-script.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueries } from './queries.ts';
import { startRouter } from './router/router.tsx';
import { type SessionState, session } from './session/session.ts';
import { Theme } from './shell/theme.tsx';

// The first text finds its font here, and is not laid out in another one before.
void document.fonts.load("1em 'Inter Variable'", document.documentElement.lang === 'ru' ? 'AЯ' : 'A');
const queries = createQueries();
const router = startRouter(queries);

let shownUser = userOf(session.state());
session.subscribe(() => {
  const user = userOf(session.state());
  if (user === shownUser) return;
  const isFirst = shownUser === 'unknown';
  shownUser = user;
  if (isFirst) return;
  // Nothing of one user is kept for the next.
  queries.clear();
  void router.invalidate();
});

/** The id of the user whose pages are shown, if anybody is signed in. */
function userOf(state: SessionState): number | 'nobody' | 'unknown' {
  if (state.status === 'starting') return 'unknown';
  return state.status === 'signedIn' ? state.user.id : 'nobody';
}

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no #root.');
createRoot(root).render(
  <StrictMode>
    <Theme>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </Theme>
  </StrictMode>,
);
