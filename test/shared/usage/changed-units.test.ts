/** Which prices of a rate are worth showing beside the usual ones. */
import { expect, test } from 'bun:test';
import { changedUnits, perTokenPrice, wholePriceOf } from '../../../shared/usage/billable-units.ts';

const changedClasses = (...of: Parameters<typeof changedUnits<string>>) =>
  changedUnits(...of).map(({ price }) => price);

const prices = (prompt: string, completion: string, parts: object = {}) => ({
  ...perTokenPrice((unit) => ((wholePriceOf(unit) ?? unit.price) === 'completion' ? completion : prompt)),
  ...parts,
});

test('a rate shows what costs something else, without what only follows the price of another class', () => {
  const usual = prices('1', '4', { cachedPrompt: '0.1' });
  expect(changedClasses(usual, usual)).toEqual([]);
  expect(changedClasses(prices('2', '4', { cachedPrompt: '0.1' }), usual)).toEqual(['prompt']);
  // Cached input has a discount usually, and none here.
  expect(changedClasses(prices('2', '8'), usual)).toEqual(['prompt', 'cachedPrompt', 'completion']);
  expect(changedClasses(prices('1', '4', { cachedPrompt: '0.1', reasoning: '6' }), usual)).toEqual(['reasoning']);
});
