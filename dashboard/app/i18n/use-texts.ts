/** The texts of an area in the language that is shown now, and that language. */
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import type { Language } from '../../../shared/languages.ts';
import type { Texts, Translate } from './define-texts.ts';
import { isLanguage } from './language.ts';

export type { Translate } from './define-texts.ts';

/** The function stays the same until the language changes. */
export function useTexts<Key extends string>({ namespace }: Texts<Key>): Translate<Key> {
  const { t } = useTranslation(namespace);
  return useCallback((key, values) => String(t(key, { ...values })), [t]);
}

/** The language that is shown now. */
export function useLanguage(): Language {
  const { i18n } = useTranslation();
  return isLanguage(i18n.language) ? i18n.language : 'en';
}
