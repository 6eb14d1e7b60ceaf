/** The language of responses, from the browser's headers. */
import { expect, test } from 'bun:test';
import { preferredLanguage } from '../../../../admin/http/request/preferred-language.ts';

const cases: [string | undefined, 'en' | 'ru'][] = [
  [undefined, 'en'],
  ['', 'en'],
  ['ru', 'ru'],
  ['RU-ru', 'ru'],
  ['en', 'en'],
  ['de-DE,de;q=0.9', 'en'],
  ['ru-RU,ru;q=0.9,en-US;q=0.8,en;q=0.7', 'ru'],
  ['en-US,en;q=0.9,ru;q=0.8', 'en'],
  ['en;q=0.1, ru;q=0.2', 'ru'],
  ['de, ru;q=0.5', 'ru'],
  ['ru;q=0, en;q=0.1', 'en'],
  ['ru;q=0', 'en'],
  ['*', 'en'],
  ['*;q=0.5, ru', 'ru'],
  ['en;q=0, *', 'ru'],
  ['ru;q=nonsense', 'en'],
  ['rus', 'en'],
];

test.each(cases)('the Accept-Language %p gets responses in %s', (header, language) => {
  expect(preferredLanguage(header)).toBe(language);
});
