/** The texts of every area, in every language. */
import { expect, test } from 'bun:test';
import { readAreas } from '../../dashboard/read-texts.ts';
import { languages } from '../../shared/languages.ts';

const pluralForm = /_(?:one|few|many|other)$/;
/** As the Unicode Consortium's rules have them: `one` and `other` in English. */
const formsOf = (language: string) => new Intl.PluralRules(language).resolvedOptions().pluralCategories.sort();

const areas = await readAreas();
const keysOf = (texts: Readonly<Record<string, string>>) =>
  [...new Set(Object.keys(texts).map((name) => name.replace(pluralForm, '')))].sort();

test('every area has the same keys in all languages', () => {
  expect(areas.length).toBeGreaterThan(4);
  for (const area of areas) {
    for (const language of languages) expect(keysOf(area[language])).toEqual(keysOf(area.en));
  }
});

test('every text has the plural forms that its language needs', () => {
  for (const { namespace, ...texts } of areas) {
    for (const language of languages) {
      const names = Object.keys(texts[language]);
      for (const name of names.filter((candidate) => pluralForm.test(candidate))) {
        const key = name.replace(pluralForm, '');
        const forms = names.filter((other) => other.replace(pluralForm, '') === key && pluralForm.test(other));
        const expected = formsOf(language).map((form) => `${key}_${form}`);
        expect([namespace, language, forms.sort()]).toEqual([namespace, language, expected]);
      }
    }
  }
});

/** `{{tokens}} tokens`, and neither `{{name}} is` nor a limit, which is never one. */
const countedNoun = /\{\{(?!\w+Max\})\w+\}\} (?!is\b|was\b|has\b|does\b|as\b|uses\b|ms\b)[a-z]+s\b/;

test('a count with a noun has a singular in the texts', () => {
  const counts = areas.flatMap(({ en }) => Object.entries(en)).filter(([, text]) => countedNoun.test(text));
  expect(counts.length).toBeGreaterThan(10);
  expect(counts.filter(([name]) => !pluralForm.test(name))).toEqual([]);
});

test('a text has the same placeholders in all languages', () => {
  const placeholders = (text = '') => (text.match(/\{\{\w+\}\}/g) ?? []).sort();
  for (const area of areas) {
    for (const [name, text] of Object.entries(area.en)) {
      for (const language of languages) expect(placeholders(area[language][name])).toEqual(placeholders(text));
    }
  }
});

test('no two areas have the same namespace', () => {
  const namespaces = areas.map(({ namespace }) => namespace);
  expect(namespaces).toEqual([...new Set(namespaces)]);
});
