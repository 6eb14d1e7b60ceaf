/** Which of a model's prices applies to an image. */
import { expect, test } from 'bun:test';
import { findImagePrice, formatVariant } from '../../../shared/usage/image-prices.ts';

const rows = ['1024x1024/high', '1024x1024/default', 'default/low', 'default/default'].map((text) => {
  const [size = '', quality = ''] = text.split('/');
  return { size, quality };
});
const found = (size: string, quality: string, among = rows) => {
  const row = findImagePrice(among, { size, quality });
  return row === undefined ? undefined : formatVariant(row);
};

test.each([
  ['1024x1024', 'high', '1024x1024/high'],
  ['1024x1024', 'medium', '1024x1024/default'],
  ['1024x1024', 'low', '1024x1024/default'],
  ['512x512', 'low', 'default/low'],
  ['512x512', 'high', 'default/default'],
  ['default', 'low', 'default/low'],
  ['default', 'default', 'default/default'],
])('an image of %s and %s has the price of %s: the size decides before the quality', (size, quality, expected) => {
  expect(found(size, quality)).toBe(expected);
});

test('no price row applies to a size or quality that it does not name', () => {
  const only = rows.slice(0, 1);
  expect(found('1024x1024', 'high', only)).toBe('1024x1024/high');
  expect(found('1024x1024', 'low', only)).toBeUndefined();
  expect(found('default', 'default', only)).toBeUndefined();
});
