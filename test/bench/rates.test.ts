/** No contender is measured at a rate it cannot sustain, and the gateway always takes part. */
import { expect, test } from 'bun:test';
import { bearableRates } from '../../bench/scenarios/rates.ts';

const others = [
  { name: 'upstream', capacity: 60_000 },
  { name: 'bare Bun', capacity: 19_000 },
];

test('the usual rates are used if every contender can sustain them', () => {
  const all = [...others, { name: 'gateway', capacity: 3_000 }];
  const names = ['upstream', 'bare Bun', 'gateway'];
  expect(bearableRates(all)).toEqual([
    { rate: 500, names },
    { rate: 1_000, names },
  ]);
});

test('the lower rate is one that the slowest contender can sustain, and the higher one excludes it', () => {
  const all = [...others, { name: 'Portkey', capacity: 600 }, { name: 'gateway', capacity: 1_200 }];
  expect(bearableRates(all)).toEqual([
    { rate: 420, names: ['upstream', 'bare Bun', 'Portkey', 'gateway'] },
    { rate: 840, names: ['upstream', 'bare Bun', 'gateway'] },
  ]);
});

test('one rate is used if the gateway is slower than the lower rate', () => {
  const all = [...others, { name: 'gateway', capacity: 500 }];
  expect(bearableRates(all)).toEqual([{ rate: 350, names: ['upstream', 'bare Bun', 'gateway'] }]);
});
