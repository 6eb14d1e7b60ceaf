/** The calculator of the price list, against the gateway's own calculation of a charge. */
import { expect, test } from 'bun:test';
import { isOfOutput, isPaidInstead } from '../../../dashboard/app/money/priced-units.ts';
import { estimate, type Model, type Workload } from '../../../dashboard/models/model.ts';
import { type PricedModel, selectModels } from '../../../dashboard/models/select-models.ts';
import { completeWorkload, workloadOf } from '../../../dashboard/models/workload.ts';
import {
  costOf,
  formatRubExactly,
  formatUsd,
  nanoUsd,
  parsePricePerMillion,
  parseRubPerUsd,
} from '../../../shared/money.ts';
import { perTokenPrice } from '../../../shared/usage/billable-units.ts';
import { SeededRandom } from '../../harness/seeded-random.ts';

const rub = '90.1234';

const withParts = (prices: { prompt: string; cachedPrompt: string; completion: string }) => ({
  ...perTokenPrice((unit) => prices[isOfOutput(unit.price) ? 'completion' : 'prompt']),
  ...prices,
});

function modelAt(
  prices: { prompt: string; cachedPrompt: string; completion: string },
  more: Partial<Model> = {},
): Model {
  const perMillionTokens = withParts(prices);
  return {
    id: 'test/chat',
    kind: 'chat',
    ownedBy: 'test',
    contextTokens: 1_000_000_000,
    maxOutputTokens: 2_048,
    retiresAt: null,
    pricesSince: '2026-01-01T00:00:00.000Z',
    perMillionTokens,
    perMillionTokensRub: perMillionTokens,
    perImage: [],
    perUnit: [],
    providers: [],
    rates: [],
    ...more,
  };
}

const workload = (values: Partial<Workload> = {}): Workload => ({
  tokensIn: 1_000,
  tokensOut: 500,
  cachedPercent: 0,
  requestsPerMonth: 10_000,
  ...values,
});
const cheap = { prompt: '0.6', cachedPrompt: '0.06', completion: '1.8' };

test('the estimate of a request is what the gateway would charge for it, to the nano-dollar', () => {
  const random = new SeededRandom(17);
  const below = (limit: number) => random.integer(0, limit - 1);
  const price = () => `${below(100)}.${String(below(1_000_000)).padStart(6, '0')}`;
  for (let round = 0; round < 500; round += 1) {
    const prices = { prompt: price(), cachedPrompt: price(), completion: price() };
    const asked = workload({ tokensIn: below(100_000), tokensOut: below(2_000), cachedPercent: below(101) });
    const cached = Math.floor((asked.tokensIn * asked.cachedPercent) / 100);
    const charged = costOf([
      { count: asked.tokensIn - cached, price: parsePricePerMillion(prices.prompt) },
      { count: cached, price: parsePricePerMillion(prices.cachedPrompt) },
      { count: asked.tokensOut, price: parsePricePerMillion(prices.completion) },
    ]);
    const perMonth = nanoUsd(charged * BigInt(asked.requestsPerMonth));
    expect(estimate(modelAt(prices), asked, rub)).toMatchObject({
      perRequest: formatUsd(charged),
      perMonth: formatUsd(perMonth),
      perMonthRub: formatRubExactly(perMonth, parseRubPerUsd(rub)),
    });
  }
});

test('each request of an estimate is rounded up, not the month', () => {
  const model = modelAt({ prompt: '0.0001', cachedPrompt: '0', completion: '0' });
  const { perRequest, perMonth, parts } = estimate(model, workload({ tokensIn: 1, tokensOut: 0 }), rub) ?? {};
  expect({ perRequest, perMonth }).toEqual({ perRequest: '0.000000001', perMonth: '0.00001' });
  expect(parts?.[0]?.amount).toBe('0.0000000001');
});

test('the output of a model without output is not charged', () => {
  expect(estimate(modelAt(cheap, { maxOutputTokens: 0 }), workload(), rub)?.perRequest).toBe('0.0006');
});

test('a model that is paid per image has no estimate', () => {
  const perImage = [{ size: 'default', quality: 'default', price: '0.01', priceRub: '0.9' }];
  expect(estimate(modelAt(cheap, { perImage }), workload(), rub)).toBeUndefined();
});

test('a request that is longer than the context is marked', () => {
  expect(estimate(modelAt(cheap, { contextTokens: 1_500 }), workload(), rub)?.isTooLong).toBe(false);
  expect(estimate(modelAt(cheap, { contextTokens: 1_499 }), workload(), rub)?.isTooLong).toBe(true);
});

test('a workload in an address is read back, and what is malformed counts as absent', () => {
  const asked = workload({ tokensIn: 0, cachedPercent: 100 });
  const address = workloadOf({ in: '0', out: '500', cached: '100', requests: '-1' });
  expect(address).toEqual({ in: 0, out: undefined, cached: 100, requests: undefined });
  expect(completeWorkload(address)).toEqual(asked);
  expect(workloadOf({ in: '1e3.5', out: '', cached: '101', requests: 'x' })).toEqual({
    in: undefined,
    out: undefined,
    cached: undefined,
    requests: undefined,
  });
});

test('a long prompt is estimated at the highest step that it is above, and no tier is assumed', () => {
  const rate = (serviceTier: 'default' | 'flex', abovePromptTokens: number, prompt: string) => {
    const perMillionTokens = withParts({ ...cheap, prompt });
    return { serviceTier, abovePromptTokens, perMillionTokens, perMillionTokensRub: perMillionTokens };
  };
  const rates = [rate('default', 2_000, '2'), rate('default', 1_000, '1'), rate('flex', 0, '0.1')];
  const promptPrice = (tokensIn: number) =>
    estimate(modelAt(cheap, { rates }), workload({ tokensIn }), rub)?.parts[0]?.perMillionTokens;
  expect([1, 1_000, 1_001, 2_000, 2_001].map(promptPrice)).toEqual(['0.6', '0.6', '1', '1', '2']);
});

test('the price of a request is part of its estimate', () => {
  const perUnit = [{ unit: 'request', price: '0.000000000001', priceRub: '0' } as const];
  const free = modelAt({ prompt: '0', cachedPrompt: '0', completion: '0' }, { perUnit });
  expect(estimate(free, workload(), rub)).toMatchObject({ request: '0.000000000001', perRequest: '0.000000001' });
});

test('a model that may search the web is paid by tokens, and one for speech by characters', () => {
  const paidBy = (unit: 'webSearch' | 'character') =>
    modelAt(cheap, { perUnit: [{ unit, price: '1', priceRub: '90' }] });
  expect(estimate(paidBy('webSearch'), workload(), rub)).toEqual(estimate(modelAt(cheap), workload(), rub));
  expect(estimate(paidBy('character'), workload(), rub)).toBeUndefined();
  expect(paidBy('webSearch').perUnit.some(isPaidInstead)).toBe(false);
  expect(paidBy('character').perUnit.some(isPaidInstead)).toBe(true);
});

test('models are found by every word, and ordered by exact prices with images last', () => {
  const priced = (model: Model): PricedModel => ({ model, estimate: estimate(model, workload(), rub) });
  const image = modelAt(cheap, {
    id: 'b/image',
    kind: 'image',
    perImage: [{ size: 'default', quality: 'default', price: '0.01', priceRub: '0.9' }],
  });
  const models = [
    image,
    modelAt({ ...cheap, prompt: '10' }, { id: 'acme/big-10', ownedBy: 'acme' }),
    modelAt({ ...cheap, prompt: '9.5' }, { id: 'acme/big-9', ownedBy: 'acme' }),
  ].map(priced);
  const ids = (selection: Parameters<typeof selectModels>[1]) =>
    selectModels(models, selection).map(({ model }) => model.id);
  expect(ids({ sort: 'prompt' })).toEqual(['acme/big-9', 'acme/big-10', 'b/image']);
  expect(ids({ sort: 'name' })).toEqual(['acme/big-9', 'acme/big-10', 'b/image']);
  expect(ids({ sort: 'cost' })).toEqual(['acme/big-9', 'acme/big-10', 'b/image']);
  expect(ids({ q: 'BIG acme' })).toEqual(['acme/big-10', 'acme/big-9']);
  expect(ids({ q: 'big', owner: 'test' })).toEqual([]);
  expect(ids({ kind: 'image' })).toEqual(['b/image']);
  // A copy is sorted.
  expect(ids({})).toEqual(['b/image', 'acme/big-10', 'acme/big-9']);
});
