/** Starts the dashboard in the browser. */
import './i18n/start-i18n.ts';
import './first-script.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueries } from './queries.ts';
import { startRouter } from './router/router.tsx';
import { session } from './session/session.ts';
import { Theme } from './shell/theme.tsx';

const queries = createQueries();
const router = startRouter(queries);

let shownUser: number | undefined;
session.subscribe(() => {
  const state = session.state();
  const user = state.status === 'signedIn' ? state.user.id : undefined;
  if (user === shownUser) return;
  // Nothing of one user is kept for the next.
  queries.clear();
  shownUser = user;
  void router.invalidate();
});

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
