/** Which order a transfer pays: certain only if amount, invoice number and INN agree with one order. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { matchLine, numbersIn, type OpenInvoice, OpenInvoices } from '../../../../admin/payments/bank/match-line.ts';
import { minorUnits } from '../../../../shared/payment-money.ts';

const invoice: OpenInvoice = {
  paymentId: 'a',
  accountId: 1,
  amountKopecks: 100_000n,
  inn: '7707083893',
  number: '17',
  isCanceled: false,
};
const line = { amountKopecks: minorUnits(100_000n), payerInn: '7707083893', purpose: 'Оплата по счёту № 17' };
const match = (change: Partial<typeof line>, open: readonly OpenInvoice[] = [invoice]) =>
  matchLine({ ...line, ...change }, new OpenInvoices(open));

test.each([
  ['Оплата по счёту № 17 от 12.01.2026, в т.ч. НДС 22% 180.33', ['17']],
  ['Оплата по счету на оплату №17 от 12.01.2026', ['17']],
  ['ОПЛАТА СЧ. 017', ['17']],
  ['счет 17, счет 18', ['17', '18']],
  ['Invoice 17', ['17']],
  ['Договор 17 без счета', []],
])('in "%s" the numbers are %j', (purpose, numbers) => {
  expect([...numbersIn(purpose)].filter((number) => /\d/.test(number))).toEqual(numbers);
});

const space = fc.stringMatching(/^[ \t\u00a0]{0,200}$/);
const called = fc.constantFrom('счёт', 'СЧЕТУ', 'сч.', 'Invoice', 'inv.', '№', 'No.', '#');

test('a number is found whatever spaces a payer writes around its name', () => {
  const property = fc.property(
    fc.tuple(called, space, fc.constantFrom('', 'на оплату'), space, fc.constantFrom('', '№', '#')),
    fc.tuple(space, fc.integer({ min: 1, max: 99_999 })),
    (name, [gap, number]) => {
      expect(numbersIn(`Оплата по ${name.join('')}${gap}${number} от 1.2.2030`)).toContain(String(number));
    },
  );
  fc.assert(property);
});

test('of a purpose that names ever more numbers, twenty count', () => {
  const purpose = Array.from({ length: 500 }, (_, index) => `№${index + 1}`).join(' ');
  expect([...numbersIn(purpose)]).toEqual(Array.from({ length: 20 }, (_, index) => String(index + 1)));
  expect(numbersIn(`${'x '.repeat(1_000)}№ 17`).size).toBe(0);
});

describe('a transfer', () => {
  test('that agrees in amount, number and INN is certain', () => {
    expect(match({})).toMatchObject({ state: 'certain', candidates: [{ invoice: { paymentId: 'a' } }] });
  });

  test.each([
    [
      'the amount',
      { amountKopecks: minorUnits(99_999n) },
      'The invoice number and the INN agree, the amount does not.',
    ],
    ['the INN', { payerInn: '7736050003' }, 'The amount and the invoice number agree, the INN does not.'],
    ['a missing INN', { payerInn: '' }, 'The amount and the invoice number agree, the INN does not.'],
    ['no number', { purpose: 'Оплата' }, 'The amount and the INN agree, the invoice number does not.'],
    ['another number', { purpose: 'Счёт 170' }, 'The amount and the INN agree, the invoice number does not.'],
  ])('that differs by %s is only proposed', (_, change, reason) => {
    expect(match(change)).toMatchObject({ state: 'proposed', reason });
  });

  test('that fits two orders is only proposed', () => {
    const both = [invoice, { ...invoice, paymentId: 'b', number: '18' }];
    expect(match({ purpose: 'Счёт 17, счёт 18' }, both)).toMatchObject({
      state: 'proposed',
      reason: 'Several invoices agree in everything.',
    });
  });

  test('for a canceled order is only proposed, and says so', () => {
    const canceled = { ...invoice, isCanceled: true };
    expect(match({}, [canceled])).toMatchObject({
      state: 'proposed',
      reason: 'Amount, invoice number and INN agree. The order was canceled.',
    });
    expect(match({ purpose: 'Оплата' }, [canceled]).reason).toBe(
      'The amount and the INN agree, the invoice number does not. The order was canceled.',
    );
    const byInnAlone = { purpose: 'Оплата', amountKopecks: minorUnits(5n) };
    expect(match(byInnAlone, [canceled])).toMatchObject({ state: 'unmatched', candidates: [] });
    const open = { ...invoice, paymentId: 'b' };
    expect(match({}, [canceled, open])).toMatchObject({
      state: 'certain',
      candidates: [{ invoice: { paymentId: 'b' } }, { invoice: { paymentId: 'a' } }],
    });
  });

  test('that no order is like is unmatched', () => {
    expect(match({ payerInn: '7736050003', purpose: 'Заём' })).toMatchObject({ state: 'unmatched', candidates: [] });
  });

  test('lists what agrees best first', () => {
    const other = { ...invoice, paymentId: 'b', number: '18', amountKopecks: 5n };
    expect(match({}, [other, invoice]).candidates.map((candidate) => candidate.invoice.paymentId)).toEqual(['a', 'b']);
  });
});
