/** Shows the dashboard in the language of the page, and in another when it is chosen here or in another tab. */
import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { Language } from '../../../shared/languages.ts';
import { isLanguage, onLanguageElsewhere, rememberLanguage } from './language.ts';
import { fetchTexts, takeEarlyTexts } from './text-file.ts';

/** Before anything is rendered. Rejects without the texts: then the page stays as it came, as without its scripts. */
export async function startI18n(): Promise<void> {
  const language = isLanguage(document.documentElement.lang) ? document.documentElement.lang : 'en';
  // What the first script has requested may have failed for a moment only.
  const texts = (await takeEarlyTexts()?.catch(() => undefined)) ?? (await fetchTexts(language));
  if (texts === undefined) throw new Error(`This build has no texts in ${language}.`);
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    resources: { [language]: texts },
    // React escapes.
    interpolation: { escapeValue: false },
    initAsync: false,
  });
  onLanguageElsewhere((chosen) => void show(chosen).catch(() => {}));
}

/** Switches the whole page, and remembers it. Rejects with an ApiError if the texts cannot be loaded. */
export async function chooseLanguage(language: Language): Promise<void> {
  await show(language);
  rememberLanguage(language);
}

async function show(language: Language): Promise<void> {
  const texts = await fetchTexts(language);
  if (texts === undefined) {
    rememberLanguage(language);
    return location.reload();
  }
  for (const [namespace, ofArea] of Object.entries(texts)) i18next.addResourceBundle(language, namespace, ofArea);
  document.documentElement.lang = language;
  await i18next.changeLanguage(language);
}
