/** What taking over a price does to others at rates of which the list, or the choice, says nothing. */
import { expect, test } from 'bun:test';
import type { CatalogueFile, CatalogueFileModel } from '../../../../admin/catalogue/catalogue-file.ts';
import { renderCatalogueFile } from '../../../../admin/catalogue/newest-catalogue.ts';
import { compareWithList } from '../../../../admin/catalogue/published-lists/compare-with-list.ts';
import { readPublishedList } from '../../../../admin/catalogue/published-lists/read-published-list.ts';
import { takeOver } from '../../../../admin/catalogue/published-lists/take-over.ts';
import { readCatalogueFile } from '../../../../admin/catalogue/read-catalogue-file.ts';

type Prices = CatalogueFileModel['price'];

const fileOf = (price: Prices, protocol: 'openai' | 'anthropic' = 'openai'): CatalogueFile => ({
  markup: '1',
  providers: [{ id: 'some', protocol, baseUrl: 'https://provider.test/v1' }],
  models: [
    {
      ...{ id: 'own/chat', kind: 'chat', ownedBy: 'some', contextTokens: 1_000_000, maxOutputTokens: 1_000, price },
      deployments: [{ provider: 'some', model: 'chat' }],
    },
  ],
});

const litellm = (prices: Readonly<Record<string, number>>) =>
  JSON.stringify({
    'some/chat': {
      ...{ litellm_provider: 'some', mode: 'chat', input_cost_per_token: 2e-6, output_cost_per_token: 8e-6 },
      ...prices,
    },
  });

/** Takes over what is chosen, or everything. */
function take(file: CatalogueFile, list: string, chosen?: readonly string[]) {
  const compare = (of: CatalogueFile) => compareWithList(of, readPublishedList(list), '2030-01-01').changed;
  const wanted = compare(file).map((each) => ({
    ...each,
    changes: each.changes.filter(({ field }) => chosen?.includes(field) ?? true),
  }));
  const taken = takeOver(file, wanted);
  expect(readCatalogueFile(renderCatalogueFile(taken), new Set())).toMatchObject({ ok: true });
  const left = compare(taken).flatMap(({ changes }) => changes.map(({ field, to }) => [field, to]));
  return { price: taken.models[0]?.price, left };
}

const flex = { prompt: '1', completion: '4' };

test('a tier that the list does not have never sells audio at the price of text', () => {
  const file = fileOf({ prompt: '2', completion: '8', tiers: { flex } });
  expect(take(file, litellm({ output_cost_per_audio_token: 64e-6 }))).toEqual({
    price: { prompt: '2', completion: '8', audioCompletion: '64', tiers: { flex } },
    left: [],
  });
});

test('a tier whose price of audio is not chosen never sells audio at the price of text', () => {
  const list = litellm({
    ...{ input_cost_per_token_flex: 1e-6, output_cost_per_token_flex: 4e-6 },
    ...{ output_cost_per_audio_token: 64e-6, output_cost_per_audio_token_flex: 32e-6 },
  });
  expect(take(fileOf({ prompt: '2', completion: '8', tiers: { flex } }), list, ['audioCompletion'])).toEqual({
    price: { prompt: '2', completion: '8', audioCompletion: '64', tiers: { flex } },
    left: [['flex audioCompletion', '32']],
  });
});

test('a step whose price of audio is not chosen costs what audio usually does', () => {
  const steps = [{ above: 200_000, prompt: '4', completion: '12' }];
  const list = litellm({
    ...{ input_cost_per_token_above_200k_tokens: 4e-6, output_cost_per_token_above_200k_tokens: 12e-6 },
    ...{ output_cost_per_audio_token: 64e-6, output_cost_per_audio_token_above_200k_tokens: 96e-6 },
  });
  expect(take(fileOf({ prompt: '2', completion: '8', steps }), list, ['audioCompletion'])).toEqual({
    price: { prompt: '2', completion: '8', audioCompletion: '64', steps },
    left: [['>200000 audioCompletion', '96']],
  });
});

test('a price that the list has at one rate alone is taken over once', () => {
  const longWrite = { cache_creation_input_token_cost_above_1hr_above_200k_tokens: 12e-6 };
  expect(take(fileOf({ prompt: '2', completion: '8' }, 'anthropic'), litellm(longWrite))).toEqual({
    price: { prompt: '2', completion: '8', steps: [{ above: 200_000, cacheWrite1h: '12' }] },
    left: [],
  });
  const ofFlex = { input_cost_per_token_flex: 1e-6, output_cost_per_token_flex: 4e-6 };
  const file = fileOf({ prompt: '2', completion: '8', tiers: { flex } });
  expect(take(file, litellm({ ...ofFlex, output_cost_per_audio_token_flex: 32e-6 }))).toEqual({
    price: { prompt: '2', completion: '8', tiers: { flex: { ...flex, audioCompletion: '32' } } },
    left: [],
  });
});
