/**
 * Which order a transfer pays: certain only if amount, invoice number and INN match one order, and no other account may
 * have placed it.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { minorUnits } from '../../../../admin/money/payment-money.ts';
import { matchLine, numbersIn, type OpenInvoice, OpenInvoices } from '../../../../admin/payments/bank/match-line.ts';

const invoice: OpenInvoice = {
  paymentId: 'a',
  accountId: 1,
  isVerified: true,
  amountKopecks: 100_000n,
  inn: '7707083893',
  number: '17',
  isCanceled: false,
};
const line = { amountKopecks: minorUnits(100_000n), payerInn: '7707083893', purpose: 'Оплата по счёту № 17' };
const match = (
  change: Partial<typeof line>,
  open: readonly OpenInvoice[] = [invoice],
  accountsOfInn: ReadonlyMap<string, readonly number[]> = new Map([[invoice.inn ?? '', [1]]]),
) => matchLine({ ...line, ...change }, new OpenInvoices(open, accountsOfInn));

test.each([
  ['Оплата по счёту № 17 от 12.01.2026, в т.ч. НДС 22% 180.33', ['17']],
  ['Оплата по счету на оплату №17 от 12.01.2026', ['17']],
  ['ОПЛАТА СЧ. 017', ['17']],
  ['счет 17, счет 18', ['17', '18']],
  ['Invoice 17', ['17']],
  ['Договор 17 без счета', []],
])('the numbers found in "%s" are %j', (purpose, numbers) => {
  expect([...numbersIn(purpose)].filter((number) => /\d/.test(number))).toEqual(numbers);
});

const space = fc.stringMatching(/^[ \t\u00a0]{0,200}$/);
const called = fc.constantFrom('счёт', 'СЧЕТУ', 'счетами', 'Счёта', 'сч.', 'Invoice', 'inv.', '№', 'No.', '#');

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

test('only twenty numbers of a purpose that names many count', () => {
  const purpose = Array.from({ length: 500 }, (_, index) => `№${index + 1}`).join(' ');
  expect([...numbersIn(purpose)]).toEqual(Array.from({ length: 20 }, (_, index) => String(index + 1)));
  expect(numbersIn(`${'x '.repeat(1_000)}№ 17`).size).toBe(0);
});

describe('a transfer', () => {
  test('a transfer that matches amount, number and INN is certain', () => {
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
  ])('a transfer that differs by %s is only proposed', (_, change, reason) => {
    expect(match(change)).toMatchObject({ state: 'proposed', reason });
  });

  test('a transfer that matches two orders is only proposed', () => {
    const both = [invoice, { ...invoice, paymentId: 'b', number: '18' }];
    expect(match({ purpose: 'Счёт 17, счёт 18' }, both)).toMatchObject({
      state: 'proposed',
      reason: 'Several invoices match completely.',
    });
  });

  test('a transfer for a canceled order is only proposed, and says so', () => {
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

  test('a transfer for an account whose address is not verified is only proposed', () => {
    expect(match({}, [{ ...invoice, isVerified: false }])).toMatchObject({
      state: 'proposed',
      reason: "Amount, invoice number and INN agree. The account's e-mail address is not verified.",
    });
  });

  test.each<[string, Partial<OpenInvoice>]>([
    ['its INN', { number: '18', amountKopecks: 5n }],
    ['its INN, canceled', { number: '18', isCanceled: true }],
    ['its INN, unverified', { number: '18', amountKopecks: 5n, isVerified: false }],
    ['its number and amount, under another INN', { inn: '7736050003' }],
  ])('is only proposed while another account has an order with %s, and both are named', (_, change) => {
    const other = { ...invoice, ...change, paymentId: 'b', accountId: 2 };
    for (const open of [
      [invoice, other],
      [other, invoice],
    ]) {
      const { state, reason, otherAccountIds, candidates } = match({}, open);
      expect([state, otherAccountIds]).toEqual(['proposed', [2]]);
      expect(reason).toContain('besides account 1, account 2 may have ordered it');
      expect(candidates.map((candidate) => candidate.invoice.accountId)).toEqual([1, 2]);
    }
  });

  test('is only proposed while another account has the INN in its details, without any order', () => {
    const { state, otherAccountIds } = match({}, [invoice], new Map([['7707083893', [1, 3, 2]]]));
    expect([state, otherAccountIds]).toEqual(['proposed', [2, 3]]);
  });

  test('is certain even if its account has more orders and others share its number or amount', () => {
    const stranger = { ...invoice, paymentId: 'c', accountId: 2, inn: '7736050003' };
    const open = [
      invoice,
      { ...invoice, paymentId: 'b', number: '18' },
      { ...stranger, amountKopecks: 5n },
      { ...stranger, number: '18' },
    ];
    expect(match({}, open)).toMatchObject({ state: 'certain', otherAccountIds: [] });
  });

  test('names the best order of each account before a second order of any', () => {
    const flood = Array.from({ length: 50 }, (_, index) => ({ ...invoice, paymentId: `b${index}`, accountId: 2 }));
    const { candidates } = match({}, [...flood, { ...invoice, amountKopecks: 5n }]);
    expect(candidates.map((candidate) => candidate.invoice.accountId)).toEqual([2, 2, 2, 2, 1]);
  });

  test('is certain only for a verified account that matches in everything while no other has the INN', () => {
    const invoices = fc.array(
      fc.record({
        paymentId: fc.uuid(),
        accountId: fc.integer({ min: 1, max: 3 }),
        isVerified: fc.boolean(),
        amountKopecks: fc.constantFrom(100_000n, 5n),
        inn: fc.constantFrom('7707083893', '7736050003', null),
        number: fc.constantFrom('17', '18', null),
        isCanceled: fc.boolean(),
      }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(invoices, fc.subarray([1, 2, 3]), (open, ofInn) => {
        const { state, candidates } = match({}, open, new Map([['7707083893', ofInn]]));
        if (state !== 'certain') return;
        const [best] = candidates;
        expect(best?.invoice).toMatchObject({
          ...invoice,
          paymentId: best?.invoice.paymentId,
          accountId: best?.invoice.accountId,
        });
        const accounts = [
          ...ofInn,
          ...open
            .filter(
              ({ inn, isCanceled, amountKopecks, number }) =>
                inn === invoice.inn && (!isCanceled || amountKopecks === invoice.amountKopecks || number === '17'),
            )
            .map(({ accountId }) => accountId),
        ];
        expect(accounts.filter((id) => id !== best?.invoice.accountId)).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  test('a transfer that matches no order is unmatched', () => {
    expect(match({ payerInn: '7736050003', purpose: 'Заём' })).toMatchObject({ state: 'unmatched', candidates: [] });
  });

  test('lists the best match first', () => {
    const other = { ...invoice, paymentId: 'b', number: '18', amountKopecks: 5n };
    expect(match({}, [other, invoice]).candidates.map((candidate) => candidate.invoice.paymentId)).toEqual(['a', 'b']);
  });
});
