/** The router, and what it shows for a page that fails or does not exist. */
import { Skeleton } from '@mantine/core';
import type { QueryClient } from '@tanstack/react-query';
import { type AnyRouter, createRouter, type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { LateSkeleton } from '../components/loaded.tsx';
import { ErrorState } from '../errors/error-state.tsx';
import { routeTree } from '../pages.ts';
import { NotFoundPage } from '../shell/not-found-page.tsx';
import { nextPaint, requestPageFocus } from './page-change.ts';
import { parseSearch, writeSearch } from './search.ts';

export function createPageRouter(queries: QueryClient) {
  const router = createRouter({
    routeTree,
    context: { queries, isPage: (path): boolean => isRoute(router, path) },
    parseSearch,
    stringifySearch: writeSearch,
    // A page and its data begin to load when the pointer rests on its link.
    defaultPreload: 'intent',
    // TanStack Query decides what is fresh.
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    // For a page whose script is still on its way; its data have skeletons of their own.
    defaultPendingComponent: PagePending,
    defaultPendingMs: 400,
    defaultPendingMinMs: 0,
    defaultNotFoundComponent: NotFoundPage,
    defaultErrorComponent: PageError,
  });
  router.subscribe('onBeforeNavigate', ({ fromLocation, pathChanged }) => {
    if (fromLocation !== undefined && pathChanged) requestPageFocus();
  });
  const { navigate } = router;
  router.navigate = async (options) => {
    // Redirects, which ask no one, happen immediately.
    if (!options.ignoreBlocker) await nextPaint();
    return navigate(options);
  };
  return router;
}

/** Whether one of the router's routes is at this path. */
function isRoute(router: Pick<AnyRouter, 'getMatchedRoutes'>, path: string): boolean {
  const [, , route] = router.getMatchedRoutes(path);
  return route !== undefined;
}

function PagePending() {
  return (
    <LateSkeleton>
      <Skeleton height={28} width={220} mb="lg" />
      <Skeleton height={240} />
    </LateSkeleton>
  );
}

function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return <ErrorState error={error} onRetry={retry} />;
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPageRouter>;
  }
}
