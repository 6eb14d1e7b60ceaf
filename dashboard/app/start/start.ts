/**
 * Runs before the page is drawn, so that it appears in the right theme and language from the start, and so that its texts are
 * requested, and the server is asked who is signed in, while the dashboard's own script is still on its way. It is a classic
 * script of its own, because the page's policy allows no inline script and modules run later.
 */
import { customsOf } from '../../../shared/languages.ts';
import { preferredLanguage } from '../i18n/language.ts';
import { requestTextsEarly } from '../i18n/text-file.ts';
import { mayBeSignedIn, refreshEarly } from '../session/refresh.ts';
import { preferredScheme } from '../settings.ts';
import { preloadScripts } from './preload-scripts.ts';

/** Its address, which the build writes here. */
declare const WARM_UP_WORKER: string;

document.documentElement.lang = preferredLanguage();
requestTextsEarly(preferredLanguage());
document.documentElement.dataset.mantineColorScheme = preferredScheme();
if (mayBeSignedIn()) {
  refreshEarly();
  new Worker(WARM_UP_WORKER);
}
preloadScripts(location.pathname, mayBeSignedIn());
// With the stylesheet, so that the first text finds its font here, and is not laid out in another one before.
requestAnimationFrame(() => void document.fonts.load("1em 'Inter Variable'", customsOf[preferredLanguage()].letters));
