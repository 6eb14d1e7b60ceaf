/**
 * The texts of an area in both languages. They are not part of the scripts: the build makes one file of each language
 * (see `read-texts.ts`), of which a visitor loads their own. English decides which keys there are, and the compiler and a
 * test see to it that Russian has the same. A text that depends on a number has the plural forms of its language:
 * `keys_one` and `keys_other` in English, `keys_one`, `keys_few`, `keys_many` and `keys_other` in Russian.
 */
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

/** What the build and the tests read of an area. */
export interface DefinedTexts {
  readonly namespace: string;
  readonly en: Readonly<Record<string, string>>;
  readonly ru: Readonly<Record<string, string>>;
}

export function defineTexts<const English extends Record<string, string>>(
  namespace: string,
  languages: { en: English; ru: Record<RussianNames<keyof English & string>, string> },
): Texts<KeyOf<keyof English & string>> {
  const texts: DefinedTexts = { namespace, ...languages };
  return texts;
}
