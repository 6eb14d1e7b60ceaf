/**
 * The texts of an area in both languages. English decides which keys there are, and the compiler and a test see to it
 * that Russian has the same. A text that depends on a number has the plural forms of its language:
 * `keys_one` and `keys_other` in English, `keys_one`, `keys_few`, `keys_many` and `keys_other` in Russian.
 */
import i18next from 'i18next';

type PluralForm = 'one' | 'few' | 'many' | 'other';
type KeyOf<Name> = Name extends `${infer Key}_${PluralForm}` ? Key : Name;
type RussianNames<Name> = Name extends `${infer Key}_${PluralForm}` ? `${Key}_${PluralForm}` : Name;

export interface Texts<Key extends string> {
  readonly namespace: string;
  /** Only carries the type. */
  readonly key?: Key;
}

/** The text of a key in the language that is shown now. `count` selects the plural form. */
export type Translate<Key extends string> = (key: Key, values?: Readonly<Record<string, string | number>>) => string;

/** What every area's texts are, for the test that compares the languages. */
export interface DefinedTexts {
  readonly namespace: string;
  readonly en: Readonly<Record<string, string>>;
  readonly ru: Readonly<Record<string, string>>;
}

export function defineTexts<const English extends Record<string, string>>(
  namespace: string,
  { en, ru }: { en: English; ru: Record<RussianNames<keyof English & string>, string> },
): Texts<KeyOf<keyof English & string>> & DefinedTexts {
  i18next.addResourceBundle('en', namespace, en);
  i18next.addResourceBundle('ru', namespace, ru);
  return { namespace, en, ru };
}
