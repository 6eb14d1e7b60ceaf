/**
 * The texts of an area in each language. They are not part of the scripts: the build makes one file of each language
 * (see `read-texts.ts`), of which a visitor loads their own. English decides which keys there are, and the compiler and a
 * test see to it that every other language has the same. A text that depends on a number has the plural forms of its
 * language: `keys_one` and `keys_other` in English, `keys_one`, `keys_few`, `keys_many` and `keys_other` in Russian.
 */
import type { Language } from '../../../shared/languages.ts';

type PluralForm = 'one' | 'few' | 'many' | 'other';
type KeyOf<Name> = Name extends `${infer Key}_${PluralForm}` ? Key : Name;
/** Every language has the form for other numbers. */
type NeededNames<Name> = Name extends `${infer Key}_${PluralForm}` ? `${Key}_other` : Name;
type FormNames<Name> = Name extends `${infer Key}_${PluralForm}` ? `${Key}_${PluralForm}` : never;
type Translated<Name extends string> = Record<NeededNames<Name>, string> & Partial<Record<FormNames<Name>, string>>;

export interface Texts<Key extends string> {
  readonly namespace: string;
  /** Only carries the type. */
  readonly key?: Key;
}

/** The text of a key in the language that is shown now. `count` selects the plural form. */
export type Translate<Key extends string> = (key: Key, values?: Readonly<Record<string, string | number>>) => string;

/** What the build and the tests read of an area. */
export interface DefinedTexts extends Readonly<Record<Language, Readonly<Record<string, string>>>> {
  readonly namespace: string;
}

export function defineTexts<const English extends Record<string, string>>(
  namespace: string,
  texts: { en: English } & Record<Exclude<Language, 'en'>, Translated<keyof English & string>>,
): Texts<KeyOf<keyof English & string>> {
  const defined: DefinedTexts = { namespace, ...texts };
  return defined;
}
