/** The languages of texts for people: pages, mails, consents. A further language is a word and a row here, and its texts. */

/** The first one is the default. */
export const languages = ['en', 'ru'] as const;
export type Language = (typeof languages)[number];

export interface LanguageConventions {
  /** In the language itself, as people look for their own. */
  readonly name: string;
  /** The locales of numbers and of dates (BCP 47). The day comes before the month, so that they cannot be confused. */
  readonly numbers: string;
  readonly dates: string;
  readonly decimalSeparator: '.' | ',';
  readonly thousandSeparator: string;
  /** After a percentage. */
  readonly percentSign: string;
  /** In which people top up, if nothing else decides. */
  readonly currency: 'RUB' | 'USD';
  /** One letter of each script that its texts need. */
  readonly letters: string;
}

export const customsOf: Readonly<Record<Language, LanguageConventions>> = {
  en: {
    name: 'English',
    numbers: 'en-US',
    dates: 'en-GB',
    decimalSeparator: '.',
    thousandSeparator: ',',
    percentSign: '%',
    currency: 'USD',
    letters: 'A',
  },
  ru: {
    name: 'Русский',
    numbers: 'ru-RU',
    dates: 'ru-RU',
    decimalSeparator: ',',
    thousandSeparator: '\u00a0',
    percentSign: '\u00a0%',
    currency: 'RUB',
    letters: 'AЯ',
  },
};
