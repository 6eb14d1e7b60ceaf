/** Starts the dashboard in the browser. */
import './start/first-script.ts';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createQueries } from './api/query-client.ts';
import { startI18n } from './i18n/start-i18n.ts';
import { createPageRouter } from './router/router.tsx';
import { type SessionState, session } from './session/session.ts';
import { Theme } from './shell/theme.tsx';

/*
 * Chromium remembers the stack of each request and each error, with lines and columns, and for those of a script's top level
 * it reads the whole script once more. So the dashboard starts in a function, after this script; and React's own script, which
 * makes errors while it is loaded, is a small one of its own.
 */
queueMicrotask(() => void start());

async function start(): Promise<void> {
  const root = document.getElementById('root');
  if (root === null) throw new Error('The page has no #root.');
  const rendering = import('react-dom/client');
  const queries = createQueries();
  const router = createPageRouter(queries);
  keepUsersApart(queries, () => void router.invalidate());
  const [{ createRoot }] = await Promise.all([rendering, startI18n(), router.load()]);
  createRoot(root).render(
    <StrictMode>
      <Theme>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </Theme>
    </StrictMode>,
  );
}

/** Nothing of one user is kept for the next. */
function keepUsersApart(queries: QueryClient, reload: () => void): void {
  let shownUser = userOf(session.state());
  session.subscribe(() => {
    const user = userOf(session.state());
    if (user === shownUser) return;
    const isFirst = shownUser === 'unknown';
    shownUser = user;
    if (isFirst) return;
    queries.clear();
    reload();
  });
}

/** The id of the user whose pages are shown, if anyone is signed in. */
function userOf(state: SessionState): number | 'nobody' | 'unknown' {
  if (state.status === 'starting') return 'unknown';
  return state.status === 'signedIn' ? state.user.id : 'nobody';
}
