/** The texts of every area, in English and Russian. */
import { expect, test } from 'bun:test';
import { readAreas } from '../../dashboard/read-texts.ts';

const pluralForm = /_(?:one|few|many|other)$/;
const formsOfLanguage = { en: ['one', 'other'], ru: ['few', 'many', 'one', 'other'] } as const;

const areas = await readAreas();
const keysOf = (texts: Readonly<Record<string, string>>) =>
  [...new Set(Object.keys(texts).map((name) => name.replace(pluralForm, '')))].sort();

test('every area has the same keys in both languages', () => {
  expect(areas.length).toBeGreaterThan(4);
  for (const { en, ru } of areas) expect(keysOf(ru)).toEqual(keysOf(en));
});

test('every text has the plural forms that its language needs', () => {
  for (const { namespace, ...texts } of areas) {
    for (const language of ['en', 'ru'] as const) {
      const names = Object.keys(texts[language]);
      for (const name of names.filter((candidate) => pluralForm.test(candidate))) {
        const key = name.replace(pluralForm, '');
        const forms = names.filter((other) => other.replace(pluralForm, '') === key && pluralForm.test(other));
        const expected = formsOfLanguage[language].map((form) => `${key}_${form}`);
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

test('a text has the same placeholders in both languages', () => {
  const placeholders = (text = '') => (text.match(/\{\{\w+\}\}/g) ?? []).sort();
  for (const { en, ru } of areas) {
    for (const [name, text] of Object.entries(en)) expect(placeholders(ru[name])).toEqual(placeholders(text));
  }
});

test('no two areas have the same namespace', () => {
  const namespaces = areas.map(({ namespace }) => namespace);
  expect(namespaces).toEqual([...new Set(namespaces)]);
});
