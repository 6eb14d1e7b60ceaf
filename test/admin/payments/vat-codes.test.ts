/** Receipts have the VAT of the seller's file, whatever the variables say, or admin does not start. */
import { describe, expect, test } from 'bun:test';
import { ReceiptVat } from '../../../admin/payments/methods/yookassa/vat-codes.ts';
import { ConfigurationError } from '../../../shared/config/environment.ts';
import { seller as demoSeller } from '../documents/books.ts';

/** As YooKassa lists them: the rate, its code for a service, and the code of the rate that is part of an advance. */
const rates = [
  ['none', 1, 1],
  ['5', 7, 9],
  ['7', 8, 10],
  ['10', 3, 5],
  ['20', 4, 6],
  ['22', 11, 12],
] as const;
const codes = [undefined, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

const { vat: _, ...base } = demoSeller;
const sellerWith = (vat: string, vatSince?: string) => ({
  ...base,
  ...(vat !== 'none' && { vat }),
  ...(vatSince !== undefined && { vatSince }),
});
const config = (vatCode?: number, offsetVatCode?: number) => ({ vatCode, offsetVatCode, hasOffsetReceipts: true });

function problemsOf(open: () => ReceiptVat): readonly string[] {
  try {
    open();
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

describe.each(rates)('a VAT rate of %s', (rate, service, advance) => {
  test('has its codes, without any variable', () => {
    expect(new ReceiptVat(config(), sellerWith(rate)).on('2026-11-24')).toEqual({ service, advance });
  });

  test('begins on its first day', () => {
    if (rate === 'none') return;
    const vat = new ReceiptVat(config(), sellerWith(rate, '2027-01-01'));
    expect(vat.on('2026-12-31')).toEqual({ service: 1, advance: 1 });
    expect(vat.on('2027-01-01')).toEqual({ service, advance });
  });

  test('refuses each code that contradicts it, by name', () => {
    for (const vatCode of codes) {
      for (const offsetVatCode of codes) {
        const wrong = [
          ...(vatCode === undefined || vatCode === advance ? [] : ['YOOKASSA_VAT_CODE']),
          ...(offsetVatCode === undefined || offsetVatCode === service ? [] : ['YOOKASSA_OFFSET_VAT_CODE']),
        ];
        const problems = problemsOf(() => new ReceiptVat(config(vatCode, offsetVatCode), sellerWith(rate)));
        expect(problems.map((problem) => problem.split(' ')[0] ?? '')).toEqual(wrong);
      }
    }
  });
});

test('a VAT rate without a known code needs both variables', () => {
  const open = (vatCode?: number, offsetVatCode?: number) =>
    new ReceiptVat(config(vatCode, offsetVatCode), sellerWith('18'));
  expect(problemsOf(() => open())).toEqual([
    'YOOKASSA_VAT_CODE is missing: SELLER_FILE has a VAT of 18 %, whose code is not known',
    'YOOKASSA_OFFSET_VAT_CODE is missing: SELLER_FILE has a VAT of 18 %, whose code is not known',
  ]);
  expect(open(21, 20).on('2026-11-24')).toEqual({ advance: 21, service: 20 });
});

test("the variables alone decide without a seller's file", () => {
  expect(new ReceiptVat(config()).on('2026-11-24')).toEqual({ advance: 1, service: 1 });
  expect(new ReceiptVat(config(12, 11)).on('2026-11-24')).toEqual({ advance: 12, service: 11 });
  expect(problemsOf(() => new ReceiptVat(config(12)))).toHaveLength(1);
  expect(new ReceiptVat({ ...config(12), hasOffsetReceipts: false }).on('2026-11-24').advance).toBe(12);
});
