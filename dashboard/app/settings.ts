/** What this browser remembers. A browser that forbids storage remembers nothing, and everything else works. */

export function readSetting(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Undefined deletes it. */
export function writeSetting(key: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Nothing is remembered.
  }
}

/** What this tab alone remembers until it is closed, through other sites too. */
export function readTabSetting(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Undefined deletes it. */
export function writeTabSetting(key: string, value: string | undefined): void {
  try {
    if (value === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, value);
  } catch {
    // Nothing is remembered.
  }
}

/** The setting of the theme. */
export const colourSchemeKey = 'gateway.theme';

/** The theme that the visitor chose; otherwise the system's. */
export function preferredScheme(): 'light' | 'dark' {
  const chosen = readSetting(colourSchemeKey);
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}
