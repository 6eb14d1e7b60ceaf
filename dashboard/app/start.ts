/**
 * Runs before the page is drawn, so that it appears in the right theme and language at once, and so that the server is asked
 * who is signed in while the dashboard's own script is still on its way. It is a classic script of its own, because the
 * page's policy allows no inline script and modules run later.
 */
import { preferredLanguage } from './i18n/language.ts';
import { refreshEarly } from './session/refresh.ts';
import { preferredScheme } from './shell/colour-scheme.ts';

document.documentElement.lang = preferredLanguage();
document.documentElement.dataset.mantineColorScheme = preferredScheme();
refreshEarly();
