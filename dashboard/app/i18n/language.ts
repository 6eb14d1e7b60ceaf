/** The languages of the dashboard, and the one that a visitor prefers. */
import { type Language, languages } from '../../../shared/languages.ts';
import { readSetting, writeSetting } from '../settings.ts';

const settingKey = 'gateway.language';

/** The visitor's choice, else the first language of the browser that we have. */
export function preferredLanguage(): Language {
  const wanted = [readSetting(settingKey) ?? '', ...navigator.languages].map((tag) => tag.slice(0, 2));
  return wanted.find(isLanguage) ?? languages[0];
}

export const rememberLanguage = (language: Language): void => writeSetting(settingKey, language);

/** Calls `follow` with a language that the visitor chooses in another tab. */
export function onLanguageElsewhere(follow: (language: Language) => void): void {
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key === settingKey && newValue !== null && isLanguage(newValue)) follow(newValue);
  });
}

export function isLanguage(tag: string): tag is Language {
  return languages.some((language) => language === tag);
}
