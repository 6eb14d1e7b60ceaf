/** Texts of the search field. */
import { defineTexts } from '../../i18n/define-texts.ts';

export const searchFieldTexts = defineTexts('search-field', {
  en: { clear: 'Clear the search' },
  ru: { clear: 'Очистить поиск' },
});
