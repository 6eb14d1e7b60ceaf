/** A published catalogue can be read by the previous and the next version. */
import { expect, test } from 'bun:test';
import { decodeCatalogue, publishedKind } from '../../../shared/catalogue/published-catalogue.ts';

const rubRate = { perUsd: '90', date: null, source: 'configured' };
const provider = { id: 'p', protocol: 'openai', baseUrl: 'https://p.test/v1', apiKeyEnv: '' };

test('an unknown quirk is ignored without affecting the others', () => {
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

const model = (id: string, change: object) => ({
  id,
  kind: 'chat',
  ownedBy: 'o',
  contextTokens: 1_000,
  maxOutputTokens: 100,
  createdAt: 0,
  priceVersion: 1,
  promptPico: '1',
  cachedPromptPico: '1',
  cacheWritePico: '1',
  completionPico: '1',
  reasoningPico: '1',
  deployments: [{ provider: 'p', model: 'm', priority: 0, weight: 1, onDisconnect: 'abort' }],
  ...change,
});

test('entries that only a newer version can serve are left out and reported, and the rest is served', () => {
  const [deployment] = model('a', {}).deployments;
  const tomorrows = { ...deployment, provider: 'tomorrows' };
  const catalogue = decodeCatalogue(
    JSON.stringify({
      providers: [
        { ...provider, quirks: {} },
        { ...provider, id: 'tomorrows', protocol: 'protocol-of-tomorrow', quirks: {} },
      ],
      models: [
        model('served', { memberOfTomorrow: 1 }),
        model('also-elsewhere', { deployments: [deployment, tomorrows] }),
        model('elsewhere', { deployments: [tomorrows] }),
        model('unknown-kind', { kind: 'kind-of-tomorrow' }),
      ],
      rubRate,
    }),
  );
  expect(catalogue.models.map(({ id }) => id)).toEqual(['served', 'also-elsewhere']);
  expect(catalogue.models[1]?.deployments.map(({ provider: id }) => id)).toEqual(['p']);
  expect(catalogue.leftOut).toEqual(['tomorrows', 'elsewhere', 'unknown-kind']);
});

test('a model is left out by those who do not know how it is billed, and has its kind for all others', () => {
  const prices = { promptPico: '2', cachedPromptPico: '2', completionPico: '2' };
  const rates = [{ tier: 'flex', above: 200_000, ...prices, priceOfTomorrow: '1' }];
  const models = [
    model('a', { kind: publishedKind('chat', ['rates']), rates }),
    model('b', { kind: 'chat+rates+feature-of-tomorrow', rates: [{ tier: 'tier-of-tomorrow' }] }),
    model('c', { kind: 'kind-of-tomorrow+rates' }),
  ];
  const catalogue = decodeCatalogue(JSON.stringify({ providers: [{ ...provider, quirks: {} }], models, rubRate }));
  expect(catalogue.models.map(({ id, kind }) => [id, kind])).toEqual([['a', 'chat']]);
  expect(catalogue.models[0]?.rates).toMatchObject([{ tier: 'flex', above: 200_000, promptPico: '2' }]);
  expect(catalogue.leftOut).toEqual(['b', 'c']);
});

test('speech is left out by those who do not know its kind or its price', () => {
  const speech = (price: object, kind: string) => model('s', { kind, maxOutputTokens: 0, ...price });
  const { models, leftOut } = decodeCatalogue(
    JSON.stringify({
      providers: [{ ...provider, quirks: {} }],
      models: [
        speech({ characterPico: '15000000' }, publishedKind('speech', ['character'])),
        speech({ characterPico: '15000000' }, 'speech+character+tone'),
      ],
      rubRate,
    }),
  );
  expect(models).toMatchObject([{ kind: 'speech', characterPico: '15000000' }]);
  expect(leftOut).toEqual(['s']);
});

test('a model without a price is an error, and the document is refused', () => {
  const models = [model('a', { promptPico: undefined })];
  const providers = [{ ...provider, quirks: {} }];
  expect(() => decodeCatalogue(JSON.stringify({ providers, models, rubRate }))).toThrow('malformed');
});
