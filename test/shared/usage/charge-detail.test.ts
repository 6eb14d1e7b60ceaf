/** Charge details survive their way through Redis, and nothing else is accepted as a charge detail. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { noUnits, perUnit, units } from '../../../shared/usage/billable-units.ts';
import { type ChargeDetail, decodeChargeDetail, encodeChargeDetail } from '../../../shared/usage/charge-detail.ts';

const tokens = fc.integer({ min: 0, max: 2_147_483_647 });
const details: fc.Arbitrary<ChargeDetail> = fc.record({
  model: fc.string({ unit: 'grapheme' }),
  deployment: fc.string(),
  priceVersion: fc.nat(),
  ...perUnit(() => tokens),
  estimated: fc.boolean(),
  startedAtMs: fc.nat({ max: 4_000_000_000_000 }),
  variant: fc.constantFrom('', '1024x1024/high'),
  dimensions: fc.option(fc.dictionary(fc.string(), fc.string({ unit: 'binary' }))),
  repeats: fc.oneof(fc.constant(''), fc.uuid()),
});

const plain = ['m', 'd', 1, 2, 3, 4, 5, 6, true, 1_763_750_000_000];

test('every charge detail is read as it was written', () => {
  fc.assert(
    fc.property(details, (detail) => {
      expect(decodeChargeDetail(encodeChargeDetail(detail))).toEqual(detail);
    }),
  );
});

test("the order of a detail's members is fixed, so that the next version can read waiting entries", () => {
  expect(decodeChargeDetail(JSON.stringify(plain))).toEqual({
    model: 'm',
    deployment: 'd',
    priceVersion: 1,
    ...noUnits,
    promptTokens: 2,
    cachedPromptTokens: 3,
    cacheWriteTokens: 4,
    completionTokens: 5,
    reasoningTokens: 6,
    estimated: true,
    startedAtMs: 1_763_750_000_000,
    variant: '',
    dimensions: null,
    repeats: '',
  });
});

test('images and their variant follow the members that the first version wrote', () => {
  const read = decodeChargeDetail(JSON.stringify([...plain, 3, '1024x1024/high']));
  expect(read).toMatchObject({ startedAtMs: 1_763_750_000_000, images: 3, variant: '1024x1024/high' });
});

test('a detail without images and dimensions is written as the previous version reads it', () => {
  const detail = decodeChargeDetail(JSON.stringify(plain));
  if (detail === undefined) throw new Error('the detail was not read');
  expect(JSON.parse(encodeChargeDetail(detail))).toEqual(plain);
  expect(JSON.parse(encodeChargeDetail({ ...detail, images: 2 }))).toEqual([...plain, 2]);
  expect(JSON.parse(encodeChargeDetail({ ...detail, variant: 'v' }))).toEqual([...plain, 0, 'v']);
  const dimensions = { user: 'u' };
  expect(JSON.parse(encodeChargeDetail({ ...detail, dimensions }))).toEqual([...plain, 0, '', dimensions]);
  expect(JSON.parse(encodeChargeDetail({ ...detail, cacheWrite1hTokens: 3 }))).toEqual([...plain, 0, '', null, 3]);
});

test('members that a newer version appended to a detail are ignored', () => {
  const counts = [...plain, 0, '', null];
  const last = Math.max(...units.map(({ detailAt }) => detailAt));
  const later = Array.from({ length: last + 1 - counts.length }, (_, index) => (counts.length + index === 21 ? '' : 0));
  const read = decodeChargeDetail(JSON.stringify([...counts, ...later, 'of', { a: 'newer version' }]));
  expect(read).toEqual(decodeChargeDetail(JSON.stringify(plain)));
});

test.each([
  ['no JSON', '['],
  ['an object', '{}'],
  ['a short list', JSON.stringify(plain.slice(0, 9))],
  ['a fraction of a token', JSON.stringify(plain.with(3, 0.5))],
  ['a negative count', JSON.stringify(plain.with(3, -1))],
  ['a number for a name', JSON.stringify(plain.with(0, 7))],
  ['a number for a value', JSON.stringify([...plain, 0, '', { user: 7 }])],
])('%s is not a charge detail', (_, text) => {
  expect(decodeChargeDetail(text)).toBeUndefined();
});
