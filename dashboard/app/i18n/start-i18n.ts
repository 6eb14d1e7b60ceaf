/** Starts i18next, before any area defines its texts: import it first. */
import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { Language } from '../../../shared/languages.ts';
import { isLanguage, onLanguageElsewhere, rememberLanguage } from './language.ts';

const started = isLanguage(document.documentElement.lang) ? document.documentElement.lang : 'en';

void i18next.use(initReactI18next).init({
  lng: started,
  fallbackLng: 'en',
  resources: { en: {}, ru: {} },
  // React escapes.
  interpolation: { escapeValue: false },
  initAsync: false,
});

/** Switches the whole page, and remembers it. */
export async function chooseLanguage(language: Language): Promise<void> {
  rememberLanguage(language);
  await show(language);
}

async function show(language: Language): Promise<void> {
  document.documentElement.lang = language;
  await i18next.changeLanguage(language);
}

onLanguageElsewhere((language) => void show(language));
