/** The theme that the visitor chose; otherwise the system's. */
import { readSetting } from '../settings.ts';

export const colourSchemeKey = 'gateway.theme';

export function preferredScheme(): 'light' | 'dark' {
  const chosen = readSetting(colourSchemeKey);
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}
