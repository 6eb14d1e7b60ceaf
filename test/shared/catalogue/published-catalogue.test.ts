/** A published catalogue is read by the version before and the version after the one that wrote it. */
import { expect, test } from 'bun:test';
import { decodeCatalogue } from '../../../shared/catalogue/published-catalogue.ts';

const rubRate = { perUsd: '90', date: null, source: 'configured' };
const provider = { id: 'p', protocol: 'openai', baseUrl: 'https://p.test/v1', apiKeyEnv: '' };

test('a quirk that this version does not know leaves the others as they are', () => {
  const quirks = { allowParameters: ['chat_template'], quirkOfTomorrow: true };
  const catalogue = decodeCatalogue(JSON.stringify({ providers: [{ ...provider, quirks }], models: [], rubRate }));
  expect(catalogue.providers[0]?.quirks.allowParameters).toEqual(['chat_template']);
});

test('a quirk that is known is still checked', () => {
  const quirks = { allowParameters: 'chat_template' };
  expect(() => decodeCatalogue(JSON.stringify({ providers: [{ ...provider, quirks }], models: [], rubRate }))).toThrow(
    'malformed',
  );
});
