/**
 * Runs before the page is drawn, so that it appears in the right theme and language at once. It is a classic script of
 * its own, because the page's policy allows no inline script and modules run later.
 */
import { preferredLanguage } from './i18n/language.ts';
import { preferredScheme } from './shell/colour-scheme.ts';

document.documentElement.lang = preferredLanguage();
document.documentElement.dataset.mantineColorScheme = preferredScheme();
