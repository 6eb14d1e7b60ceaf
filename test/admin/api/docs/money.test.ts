/** The check of the document's amounts reports every violation, and reports none in admin's document. */
import { expect, test } from 'bun:test';
import { accountDocument as document } from '../../../harness/openapi/account-document.ts';
import { disagreements, findMoneyGaps, routesWithMoney } from '../../../harness/openapi/money.ts';
import type { OpenApiDocument } from '../../../harness/openapi/operations-of.ts';

const described = { description: 'x' };
const amount = { type: 'number', ...described };
const decimal = { type: 'string', ...described };

function documentOf(properties: object, example: object, required: readonly string[] = []): OpenApiDocument {
  const schema = { type: 'object', required, properties: { list: { items: { properties, required } } } };
  const content = { 'application/json': { schema, example: { list: [example] } } };
  return { ...document, paths: { '/api/x': { get: { responses: { 200: { content } } } } } };
}

test('every numeric amount in the document has its decimal string, also in examples', () => {
  expect(findMoneyGaps(document)).toEqual([]);
  expect(routesWithMoney(document)).toContain('GET /api/balance');
});

test('the introduction of the document explains the rule', () => {
  const { description } = Object(document).info;
  for (const name of ['amount', 'amountUsd', 'lowBalanceThresholdRub', 'balanceRubDecimal']) {
    expect(description).toContain(`\`${name}\``);
  }
});

test('numbers with another unit, integers and complete pairs are accepted', () => {
  const properties = { spend: amount, spendUsd: decimal, intervalHours: amount, count: { type: 'integer' } };
  const example = { spend: -1.5e-7, spendUsd: '-0.00000015', intervalHours: 1.5, count: 1 };
  expect(findMoneyGaps(documentOf(properties, example))).toEqual([]);
  expect(findMoneyGaps(documentOf({ costRub: amount, costRubDecimal: decimal }, {}))).toEqual([]);
});

test.each([
  ['no decimal string', { spend: amount }, {}],
  ['one of the wrong name', { costRub: amount, costRubRub: decimal }, {}],
  ['one that is a number', { spend: amount, spendUsd: { type: 'integer', ...described } }, {}],
  ['one that cannot be null', { spend: { ...amount, nullable: true }, spendUsd: decimal }, {}],
  ['one that is not described', { spend: amount, spendUsd: { type: 'string' } }, {}],
  ['one that the example lacks', { spend: amount, spendUsd: decimal }, { spend: 1 }],
  ['one that differs in the example', { spend: amount, spendUsd: decimal }, { spend: 1, spendUsd: '2' }],
])('an amount with %s is reported', (_what, properties, example) => {
  expect(findMoneyGaps(documentOf(properties, example))).toHaveLength(1);
});

test('a required amount with an optional decimal string is reported', () => {
  expect(findMoneyGaps(documentOf({ spend: amount, spendUsd: decimal }, {}, ['spend']))).toHaveLength(1);
});

test.each([
  [1, '1.0'],
  [0.1, '.1'],
  [0.0000001, '1e-7'],
  [0, '-0'],
  [0, null],
  [null, '0'],
  [1, 1],
  [1, undefined],
  [10, '10.'],
  [0.5, '0.5000000001'],
])('the amount %p with the string %p is reported in a response', (number, text) => {
  const schema = { properties: { spend: amount, spendUsd: decimal } };
  expect(disagreements(schema, { spend: number, spendUsd: text })).toHaveLength(1);
});
