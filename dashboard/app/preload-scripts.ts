/** The scripts of the page at an address: they are asked for before the first script, which needs them, has arrived. */
import type { PageScripts } from './page-scripts.ts';

/** Every page, which the build writes here. */
declare const PAGES: readonly PageScripts[];

/** Whoever is not signed in is led to the log-in. */
export function preloadScripts(address: string, isSignedIn: boolean): void {
  const page = PAGES.find(({ path }) => isAt(address, path));
  const shown = isSignedIn || page?.isPublic ? page : PAGES.find(({ path }) => path === '/login');
  for (const name of shown?.scripts ?? []) {
    const link = document.createElement('link');
    link.rel = 'modulepreload';
    link.href = `/assets/${name}`;
    document.head.append(link);
  }
}

const isAt = (address: string, path: string) => new RegExp(`^${path.replaceAll(/\$\w+/g, '[^/]+')}/?$`).test(address);
