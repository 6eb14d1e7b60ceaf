/** Steps and tiers in a catalogue file: which price applies where one is not named, and what is refused. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { FilePrices, FileStep } from '../../../admin/catalogue/catalogue-file.ts';
import { fileRatesOf } from '../../../admin/catalogue/file-rates.ts';
import { readLocated } from '../../../admin/catalogue/locate-problems.ts';
import { formatPricePerMillion } from '../../../shared/money.ts';
import { perTokenPrice, type TokenPrice, tokenUnits, wholePriceOf } from '../../../shared/usage/billable-units.ts';
import { formatRate } from '../../../shared/usage/rates.ts';

const file = (price: string, { kind = 'chat', protocol = 'openai' } = {}) => `providers:
  - { id: scripted, protocol: ${protocol}, baseUrl: "http://127.0.0.1:9/v1" }
models:
  - id: test/rated
    kind: ${kind}
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 500
    deployments: [{ provider: scripted, model: upstream }]
    price:
      prompt: "1"
      completion: "4"
${price}`;

function problemsOf(text: string): [line: number | null, message: string][] {
  const reading = readLocated(text, new Set());
  return reading.ok ? [] : reading.problems.map(({ line, message }) => [line, message]);
}

const step = (above: number, more = 'prompt: "2", completion: "6"') => `        - { above: ${above}, ${more} }\n`;

describe('a catalogue file is refused, with the line,', () => {
  const cases: readonly [what: string, price: string, line: number, message: string][] = [
    [
      'where a step is not above the one before it',
      `      steps:\n${step(2_000)}${step(2_000, 'prompt: "3"')}`,
      15,
      'price.steps[1].above has to be more than 2000, the step before it',
    ],
    [
      'where a step is cheaper than the price below it',
      `      steps:\n${step(1_000)}${step(2_000, 'prompt: "3", completion: "5"')}`,
      15,
      'price.steps[1].completion is cheaper than below the step',
    ],
    [
      'where a step is never reached',
      `      steps:\n${step(32_768)}`,
      14,
      'price.steps[0].above is never reached: the model takes 32768 tokens',
    ],
    ['where a step has no price', '      steps:\n        - { above: 1000 }\n', 14, 'price.steps[0] has no price'],
    [
      'where a tier has no price',
      '      tiers:\n        flex: { prompt: "0.5" }\n',
      14,
      'price.tiers.flex.completion is missing',
    ],
    [
      'where a tier has no step that the usual prices have',
      `      steps:\n${step(1_000)}      tiers:\n        flex: { prompt: "0.5", completion: "2" }\n`,
      16,
      'price.tiers.flex has no step above 1000 tokens, where the usual prices have one',
    ],
    [
      'where a step of a tier is cheaper than the tier',
      '      tiers:\n        flex: { prompt: "0.5", completion: "2", steps: [{ above: 9, prompt: "0.4" }] }\n',
      14,
      'price.tiers.flex.steps[0].prompt is cheaper than below the step',
    ],
  ];
  test.each(cases)('%s', (_what, price, line, message) => {
    expect(problemsOf(file(price))).toEqual([[line, `model test/rated: ${message}`]]);
  });

  test('where a field is unknown or no price', () => {
    expect(problemsOf(file('      tiers: { scale: { prompt: "1" } }\n'))).toEqual([
      [13, 'models[0].price.tiers.scale is not a known field'],
    ]);
    expect(problemsOf(file(`      steps:\n${step(0)}`))[0]?.[1]).toContain('expected a whole number of at least 1');
  });

  test('where the kind of model or the protocol has none', () => {
    const tiers = '      tiers:\n        flex: { prompt: "0.5", completion: "2" }\n';
    expect(problemsOf(file(tiers, { kind: 'completion' }))).toEqual([
      [14, 'model test/rated: price.tiers is for models of the kind chat, not completion'],
    ]);
    expect(problemsOf(file(tiers, { protocol: 'anthropic' }))).toEqual([
      [14, 'model test/rated: price.tiers is not for scripted: anthropic has no service tiers'],
    ]);
    expect(problemsOf(file(`      steps:\n${step(1_000)}`, { protocol: 'anthropic' }))).toEqual([]);
  });
});

/** Prices from 0.001 to 0.9 dollars a million tokens, in whole thousandths. */
const given: fc.Arbitrary<FilePrices> = fc
  .uniqueArray(fc.constantFrom(...tokenUnits.map(({ price }) => price)), { maxLength: 5 })
  .chain((names) =>
    fc
      .array(fc.integer({ min: 1, max: 900 }), { minLength: names.length, maxLength: names.length })
      .map((amounts) => Object.fromEntries(names.map((name, index) => [name, String((amounts[index] ?? 1) / 1_000)]))),
  );
const steps: fc.Arbitrary<FileStep[]> = fc
  .uniqueArray(fc.integer({ min: 1, max: 1_000 }), { maxLength: 3 })
  .chain((bounds) =>
    fc
      .array(given, { minLength: bounds.length, maxLength: bounds.length })
      .map((prices) => bounds.sort((one, other) => one - other).map((above, index) => ({ above, ...prices[index] }))),
  );

/** Written once more: the nearest place that names the price, and otherwise what its whole costs there. */
function expected(places: readonly FilePrices[], price: TokenPrice): string {
  for (const place of places) {
    const own = place[price];
    if (own !== undefined) return own;
  }
  const unit = tokenUnits.find((each) => each.price === price);
  const whole = unit && wholePriceOf(unit);
  return whole === undefined ? '0' : expected(places, whole);
}

test('a price that a step or a tier does not name is that of the nearest place that names it', () => {
  fc.assert(
    fc.property(given, steps, given, steps, (usual, usualSteps, flex, flexSteps) => {
      const rates = fileRatesOf({ ...usual, steps: usualSteps, tiers: { flex: { ...flex, steps: flexSteps } } });
      const placesOf = (below: readonly FilePrices[], all: readonly FileStep[]) =>
        all.map((_, index): FilePrices[] => [...all.slice(0, index + 1).reverse(), ...below]);
      const places = [...placesOf([usual], usualSteps), [flex, usual], ...placesOf([flex, usual], flexSteps)];
      expect(rates.map(formatRate)).toEqual([
        ...usualSteps.map(({ above }) => `>${above}`),
        'flex',
        ...flexSteps.map(({ above }) => `flex>${above}`),
      ]);
      expect(rates.map(({ prices }) => perTokenPrice((unit) => formatPricePerMillion(prices[unit.price])))).toEqual(
        places.map((of) => perTokenPrice((unit) => expected(of, unit.price))),
      );
    }),
  );
});
