/** The languages of texts for people: pages, mails, consents. The first one is the default. */
export const languages = ['en', 'ru'] as const;
export type Language = (typeof languages)[number];
