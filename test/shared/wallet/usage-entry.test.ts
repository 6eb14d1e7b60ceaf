/** Entries of the usage stream: the charges of a draw are read as if each had an entry of its own. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Charge, readUsageEntry } from '../../../admin/ledger/charges/read-usage-entry.ts';
import { noUnits, units } from '../../../shared/usage/billable-units.ts';
import { encodeChargeDetail } from '../../../shared/usage/charge-detail.ts';
import { fieldsOf, readEntries } from '../../../shared/wallet/usage-stream/usage-entry.ts';

const id = '1795736054600-3';
const common = { kind: 'charges', account: '12', key: '34', epoch: '7', seq: '1000', spent: '900000000000000000' };
const request = '01a21a35-ab48-701e-b301-73ea6084c756';
const detail = ['test/model', 'test/upstream', 3, 5, 0, 0, 7, 0, false, 1_795_736_054_600];

const entryOf = (fields: Readonly<Record<string, string>>, charges: string) =>
  readEntries([id, ['entry', JSON.stringify(fields), 'charges', charges]]);

const details = fc
  .record({
    model: fc.string(),
    deployment: fc.string(),
    priceVersion: fc.nat(),
    counts: fc.array(fc.nat(), { minLength: units.length, maxLength: units.length }),
    estimated: fc.boolean(),
    startedAtMs: fc.nat(),
    variant: fc.string(),
    dimensions: fc.option(fc.dictionary(fc.string(), fc.string())),
    repeats: fc.oneof(fc.constant(''), fc.uuid()),
  })
  .map(({ counts, ...rest }) =>
    encodeChargeDetail({ ...noUnits, ...rest, ...Object.fromEntries(units.map(({ name }, at) => [name, counts[at]])) }),
  );
const drawn = fc.record({
  request: fc.uuid(),
  cost: fc.bigInt({ min: 0n, max: 10n ** 15n }),
  uncharged: fc.bigInt({ min: 0n, max: 10n ** 15n }),
  detail: details,
});

describe('the charges of a draw', () => {
  test('are those that it packed, and the wallet’s number and sum are counted back from the last', () => {
    fc.assert(
      fc.property(fc.array(drawn, { minLength: 1, maxLength: 50 }), (charges) => {
        const list = charges.map((each) => `["${each.request}","${each.cost}","${each.uncharged}",${each.detail}]`);
        const entries = entryOf(common, `[${list.join(',')}]`);
        let spent = BigInt(common.spent) - charges.reduce((sum, { cost }) => sum + cost, 0n);
        const expected = charges.map((each, index) => {
          spent += each.cost;
          return {
            ...{ kind: 'charge', account: '12', key: '34', epoch: '7', rank: '2', request: each.request },
            ...{ cost: String(each.cost), uncharged: String(each.uncharged), detail: each.detail },
            ...{ seq: String(Number(common.seq) - charges.length + 1 + index), spent: String(spent) },
          };
        });
        expect(entries.map(fieldsOf)).toEqual(expected);
        expect(entries.map(readUsageEntry)).toEqual(expected.map((fields) => readUsageEntry({ id, fields }) as Charge));
        expect(entries.map(readUsageEntry).every(({ kind }) => kind === 'charge')).toBe(true);
      }),
    );
  });

  test.each([
    ['request', ['not-a-request', '5', '0', detail]],
    ['uncharged', [request, '5', '0.5', detail]],
    ['detail', [request, '5', '0', detail.slice(0, 9)]],
    ['detail', [request, '5', '0', { ...detail }]],
    ['detail', [request, '5', '0', null]],
  ])('are reported one by one where the %s is malformed, and the others are read', (field, malformed) => {
    const entries = entryOf(common, JSON.stringify([[request, '4', '0', detail], malformed]));
    const [good, bad] = entries.map(readUsageEntry);
    expect(good).toMatchObject({ kind: 'charge', costNano: 4n, walletSeq: 999 });
    expect(bad).toEqual({ kind: 'unreadable', problem: `field ${field} is missing or malformed` });
  });

  test.each([
    ['which is cut off', '[["', common],
    ['which is no list', '{}', common],
    ['which is missing', '', common],
    ['with a cost that is no number', JSON.stringify([[request, '1e3', '0', detail]]), common],
    ['with a negative cost', JSON.stringify([[request, '-1', '0', detail]]), common],
    ['of a wallet without a number', JSON.stringify([[request, '1', '0', detail]]), { ...common, seq: '' }],
    ['of a wallet without a sum', JSON.stringify([[request, '1', '0', detail]]), { ...common, spent: 'NaN' }],
  ])('are reported as one entry with everything it had, for a list %s', (_, charges, fields) => {
    const [entry, ...others] = entryOf(fields, charges);
    expect(others).toEqual([]);
    expect(entry).toEqual({ id, fields: { ...fields, charges } });
    expect(entry && readUsageEntry(entry)).toEqual({
      kind: 'unreadable',
      problem: 'field kind is missing or malformed',
    });
  });
});
