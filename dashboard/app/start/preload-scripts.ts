/** The scripts of the page at an address: they are asked for before the first script, which needs them, has arrived. */
import type { PageScripts } from './page-scripts.ts';

/** Every page, which the build writes here as JSON: browsers read it faster than a script. */
declare const PAGES: string;

/** Without a session, every page but those for everyone becomes the log-in. */
export function preloadScripts(address: string, isSignedIn: boolean): void {
  const pages: readonly PageScripts[] = JSON.parse(PAGES);
  const page = pages.find(({ path }) => isAt(address, path));
  const shown = isSignedIn || page?.isPublic ? page : pages.find(({ path }) => path === '/login');
  for (const name of shown?.scripts ?? []) {
    const link = document.createElement('link');
    link.rel = 'modulepreload';
    link.href = `/assets/${name}`;
    document.head.append(link);
  }
}

function isAt(address: string, path: string): boolean {
  const names = path.split('/');
  const parts = address.split('/');
  return names.length === parts.length && names.every((name, index) => name.startsWith('$') || name === parts[index]);
}
