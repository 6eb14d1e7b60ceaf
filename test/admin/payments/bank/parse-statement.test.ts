/** Bank statements: what is read from them, and the errors of those that are refused. */
import { describe, expect, test } from 'bun:test';
import { minorUnits } from '../../../../admin/money/payment-money.ts';
import { decodeStatement } from '../../../../admin/payments/bank/decode-statement.ts';
import { parseStatement } from '../../../../admin/payments/bank/parse-statement.ts';
import { BankStatementError } from '../../../../admin/payments/bank/statement-error.ts';
import { encode, sellerAccount, statementOf } from './statement-text.ts';

const read = (text: string) => parseStatement(text, sellerAccount);
const problemsOf = (work: () => unknown) => {
  try {
    work();
    return [];
  } catch (error) {
    if (error instanceof BankStatementError) return error.message.split('\n');
    throw error;
  }
};

describe('a statement', () => {
  const purpose = 'Оплата по счёту № 17 от 12.01.2026';
  const text = statementOf([{ purpose }, { payerAccount: sellerAccount, receiver: '40702810900000000009' }]);
  const line = {
    bankDate: '2026-01-15',
    number: '17',
    amountKopecks: minorUnits(100_000n),
    payerAccount: '40702810900000000009',
    payerInn: '7707083893',
    payerName: 'ООО «Ромашка»',
    purpose,
  };

  test('yields the incoming transfers, and leaves out the outgoing ones', () => {
    expect(read(text)).toEqual([line]);
  });

  test.each([
    ['UTF-8', new TextEncoder().encode(text)],
    ['UTF-8 with a byte order mark', new TextEncoder().encode(`\uFEFF${text}`)],
    ['Windows-1251', encode(text, 'windows-1251')],
  ])('is read in %s', (_, bytes) => {
    expect(read(decodeStatement(bytes))).toEqual([line]);
  });

  test('is read in CP866, which has other quotation marks', () => {
    const bytes = encode(statementOf([{ purpose }], 'DOS'), 'ibm866');
    expect(read(decodeStatement(bytes))).toEqual([{ ...line, payerName: 'ООО "Ромашка"' }]);
  });

  test('a statement in another encoding than the one it names is refused', () => {
    const bytes = encode(statementOf([{ purpose }], 'KOI8'), 'windows-1251');
    expect(problemsOf(() => decodeStatement(bytes))).toEqual([expect.stringContaining('Кодировка=Windows')]);
  });

  test('takes the purpose from its parts if it is split', () => {
    const split = text.replace(
      `НазначениеПлатежа=${purpose}`,
      'НазначениеПлатежа1=Оплата\r\nНазначениеПлатежа2=счёта 17',
    );
    expect(read(split)[0]?.purpose).toBe('Оплата счёта 17');
  });
});

describe('an invalid statement', () => {
  const text = statementOf([{}]);
  test.each([
    ['another beginning', text.replace('1CClientBankExchange', 'Statement'), 'line 1: a statement begins with'],
    ['no end', text.replace('КонецФайла', ''), 'it does not end with КонецФайла'],
    ['text behind its end', `${text}more`, 'line 27: there is something behind КонецФайла'],
    ['a section without an end', text.replace('КонецДокумента\r\n', ''), 'line 12: the section has no КонецДокумента'],
    ['a line that is no pair', text.replace('Номер=17', 'Номер'), 'line 13: expected name=value'],
    ['a field twice', text.replace('Номер=17', 'Номер=17\r\nНомер=18'), "line 14: 'Номер' appears twice"],
    ['no number', text.replace('Номер=17', 'Номер='), "line 13: 'Номер' is missing"],
    ['no amount', text.replace('Сумма=1000.00\r\n', ''), "line 12: 'Сумма' is missing"],
    ['an amount of nothing', text.replace('Сумма=1000.00', 'Сумма=0'), 'line 15: expected an amount above 0'],
    ['a negative amount', text.replace('Сумма=1000.00', 'Сумма=-5'), 'line 15: expected an amount above 0'],
    [
      'a day that does not exist',
      text.replace('ДатаПоступило=15.01.2026', 'ДатаПоступило=31.02.2026'),
      'expected a date',
    ],
    [
      'money that has not arrived',
      text.replace('ДатаПоступило=15.01.2026', 'ДатаПоступило='),
      "'ДатаПоступило' is missing",
    ],
    ['a malformed INN', text.replace('ПлательщикИНН=7707083893', 'ПлательщикИНН=77'), 'expected an INN'],
    [
      'a transfer of others',
      text.replace(`ПолучательСчет=${sellerAccount}`, 'ПолучательСчет=1'),
      'neither to nor from',
    ],
    [
      'a NUL, which no text in Postgres holds',
      text.replace('Оплата', 'О\0'),
      "'НазначениеПлатежа' has a NUL character",
    ],
    ['an endless value', text.replace('Оплата', 'О'.repeat(2_001)), 'more than 2000 characters'],
  ])('a statement is refused for %s, with the line', (_, broken, expected) => {
    expect(problemsOf(() => read(broken)).join('\n')).toContain(expected);
  });

  test('a statement of another account is refused', () => {
    expect(problemsOf(() => parseStatement(statementOf([]), '40702810938000000002'))).toEqual([
      expect.stringContaining('the statement is of account 40702810300000000123'),
    ]);
  });

  test('a statement is refused with all its mistakes in one error, at most twenty', () => {
    const broken = statementOf(Array.from({ length: 30 }, () => ({ amount: 'x' })));
    expect(problemsOf(() => read(broken))).toHaveLength(20);
  });
});
