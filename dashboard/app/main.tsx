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
  followSession(queries, () => router.invalidate());
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

/** Nothing of one user is kept for the next, and another role sees and asks for something else. */
function followSession(queries: QueryClient, reload: () => Promise<void>): void {
  let shown = viewOf(session.state());
  session.subscribe(() => {
    const before = shown;
    shown = viewOf(session.state());
    if (before.user === 'unknown') return;
    if (shown.user !== before.user) {
      queries.clear();
      void reload();
    } else if (shown.access !== before.access) {
      // A page that may no longer be opened is left before it asks again.
      void reload().then(() => queries.invalidateQueries());
    }
  });
}

interface View {
  readonly user: number | 'nobody' | 'unknown';
  readonly access: string;
}

/** Whose pages are shown, if anyone is signed in, and what that user may do now. */
function viewOf(state: SessionState): View {
  if (state.status === 'starting') return { user: 'unknown', access: '' };
  if (state.status === 'signedOut') return { user: 'nobody', access: '' };
  const { permissions = [], unmetSignIn = null } = state.organization ?? {};
  return { user: state.user.id, access: [unmetSignIn, ...permissions].join(' ') };
}
