/** The content of each form, read from the PDF: for companies and sole proprietors, with VAT and without. */
import { describe, expect, test } from 'bun:test';
import type { DocumentData } from '../../../../admin/documents/document-data.ts';
import { renderDocument } from '../../../../admin/documents/render/render-document.ts';
import { linesOfPdf, readPdf } from './read-pdf.ts';
import { act, advanceInvoice, invoice, ofPersons, reconciliation, taxInvoice, upd, withoutVat } from './samples.ts';

const linesOf = async (data: DocumentData) => linesOfPdf(await renderDocument(data));

/** The lines appear in this order; others may be between them. */
async function expectLines(data: DocumentData, expected: readonly string[]): Promise<readonly string[]> {
  const lines = await linesOf(data);
  expect(lines.filter((line) => expected.includes(line))).toEqual([...expected]);
  return lines;
}

const taxed = ['Итого: 122 000,00', 'В том числе НДС (22%): 22 000,00'];
const untaxed = ['Итого: 122 000,00', 'Без налога (НДС) –'];

const plainForms = [
  ['a company with VAT', (data: DocumentData) => data, 'OOO', taxed],
  ['a company without VAT', withoutVat, 'OOO', untaxed],
  ['a sole proprietor with VAT', ofPersons, 'IP', taxed],
  ['a sole proprietor without VAT', (data: DocumentData) => withoutVat(ofPersons(data)), 'IP', untaxed],
] as const;

test('a corrected tax invoice and transfer document name the correction in line 1а', async () => {
  const correction = { number: 2, date: '2030-03-05' };
  for (const data of [taxInvoice, advanceInvoice, upd]) {
    const [original, corrected] = [await linesOf(data), await linesOf({ ...data, correction })];
    expect(original.join(' ')).toContain('ИСПРАВЛЕНИЕ № – от – (1а)');
    const text = corrected.join(' ');
    expect(text).toContain(`СЧЕТ-ФАКТУРА № ${data.number} от`);
    expect(text).toContain('ИСПРАВЛЕНИЕ № 2 от 5 марта 2030 г. (1а)');
  }
});

describe.each(plainForms)('in the forms of %s,', (_name, variantOf, kind, totals) => {
  const isCompany = kind === 'OOO';
  const parties = (seller: string, buyer: string) =>
    isCompany
      ? [
          `${seller}: ООО «Демонстрация», ИНН 7700001235, КПП 770001001, 101000, г. Москва, ул. Примерная, д. 1,`,
          'офис 10',
          `${buyer}: ООО «Ромашка», ИНН 5400007659, КПП 540001001, 630000, Новосибирская обл., г. Новосибирск,`,
          'Красный проспект, д. 17',
        ]
      : [
          `${seller}: ИП Соколов Пётр Сергеевич, ИНН 770000123493, ОГРНИП 323770000012345, 300000,`,
          'Тульская обл., г. Тула, ул. Садовая, д. 5, кв. 7',
          `${buyer}: ИП Орлова Анна Викторовна, ИНН 540000765457, ОГРНИП 322540000076549, 630000,`,
          'г. Новосибирск, ул. Ленина, д. 3, кв. 12',
        ];

  test('the invoice has bank details, both parties, the amount in digits and words, and its term', async () => {
    const bank = isCompany
      ? ['ИНН 7700001235 КПП 770001001 Сч. № 40702810300000000123', 'ООО «Демонстрация»']
      : ['ИНН 770000123493 Сч. № 40802810100000000456', 'ИП Соколов Пётр Сергеевич'];
    await expectLines(variantOf(invoice), [
      'АО «Демо-Банк», г. Москва БИК 044525999',
      'Банк получателя',
      'Сч. № 30101810600000000999',
      ...bank,
      'Получатель',
      'Счет на оплату № 12 от 31 января 2030 г.',
      ...parties('Поставщик', 'Покупатель'),
      '№ Товары (работы, услуги) Кол-во Ед. Цена Сумма',
      '1 Пополнение баланса: доступ к языковым моделям 1 усл. ед. 122 000,00 122 000,00',
      ...totals,
      'Всего к оплате: 122 000,00',
      'Всего наименований 1, на сумму 122 000,00 руб.',
      'Сто двадцать две тысячи рублей 00 копеек',
      'Оплатить до 14 февраля 2030 г.',
      isCompany ? 'Руководитель Иванов И. И. Бухгалтер Петрова А. С.' : 'Предприниматель Соколов П. С.',
    ]);
  });

  test('the act has the service, the payments it is settled with, both signers, and its annex', async () => {
    const lines = await expectLines(variantOf(act), [
      'Акт об оказании услуг № 5 от 28 февраля 2030 г.',
      ...parties('Исполнитель', 'Заказчик'),
      'Период: с 1 февраля 2030 г. по 28 февраля 2030 г.',
      '1 Доступ к языковым моделям за февраль 2030 г. 1 усл. ед. 122 000,00 122 000,00',
      ...totals,
      'Всего: 122 000,00',
      'Всего оказано услуг 1, на сумму 122 000,00 руб.',
      'Сто двадцать две тысячи рублей 00 копеек',
      'ИСПОЛНИТЕЛЬ ЗАКАЗЧИК',
      isCompany ? 'ООО «Демонстрация» ООО «Ромашка»' : 'ИП Соколов Пётр Сергеевич ИП Орлова Анна Викторовна',
      isCompany ? 'Иванов И. И. Кузнецова М. А.' : 'Соколов П. С. Орлова А. В.',
      'Приложение к акту № 5 от 28 февраля 2030 г.',
      'за период с 1 февраля 2030 г. по 28 февраля 2030 г.',
      '1 openai/gpt-5 1 379 24 400,00',
      'Итого 20 685 122 000,00',
    ]);
    expect(lines.join(' ')).toContain(
      'Зачтена предварительная оплата: № 4711 от 02.02.2030 на 100 000,00 руб.; № 30d5f7a1-000f-5000-8000-1a2b3c4d5e6f от 20.02.2030 на 22 000,00 руб.',
    );
    expect(lines.includes('Суммы указаны с учетом НДС.')).toBe(totals === taxed);
  });

  test('the universal transfer document has a status, the VAT or its absence, and both signers', async () => {
    const hasVat = totals === taxed;
    const lines = await expectLines(variantOf(upd), [
      hasVat ? '1' : '2',
      hasVat
        ? '– 1 Доступ к языковым – 876 усл. ед. 1 100 000,00 100 000,00 без 22% 22 000,00 122 000,00 – – –'
        : '– 1 Доступ к языковым – 876 усл. ед. 1 122 000,00 122 000,00 без без НДС без НДС 122 000,00 – – –',
      hasVat
        ? 'Всего к оплате (9) 100 000,00 Х 22 000,00 122 000,00'
        : 'Всего к оплате (9) 122 000,00 Х без НДС 122 000,00',
      'Основание передачи (сдачи) / получения (приемки) – [8]',
      'Дата отгрузки, передачи (сдачи) 28 февраля 2030 г. [11] Дата получения (приемки) « » 20 г. [16]',
      isCompany
        ? 'ООО «Демонстрация», ИНН 7700001235, КПП 770001001 [14] ООО «Ромашка», ИНН 5400007659, КПП 540001001 [19]'
        : 'ИП Соколов Пётр Сергеевич, ИНН 770000123493 [14] ИП Орлова Анна Викторовна, ИНН 540000765457 [19]',
      'Приложение к УПД № 5 от 28 февраля 2030 г.',
      'Итого 20 685 122 000,00',
    ]);
    const text = lines.join(' ');
    expect(text).toContain('СЧЕТ-ФАКТУРА № 5 от 28 февраля 2030 г. (1)');
    expect(text).toContain('№ № 5 от 28.02.2030 (5а)');
    expect(text).toContain('№ 7 от 03.02.2030; № 9 от 20.02.2030 (5б)');
    expect(text.split(isCompany ? 'Кузнецова М. А.' : 'Орлова А. В.')).toHaveLength(3);
    expect(text).toContain(isCompany ? 'Иванов И. И. Петрова А. С.' : 'Соколов П. С. ОГРНИП 323770000012345');
  });
});

describe.each([
  ['a company', (data: DocumentData) => data, true],
  ['a sole proprietor', ofPersons, false],
] as const)('in the forms with VAT of %s,', (_name, variantOf, isCompany) => {
  const seller = isCompany
    ? [
        'Продавец ООО «Демонстрация» (2)',
        'Адрес 101000, г. Москва, ул. Примерная, д. 1, офис 10 (2а)',
        'ИНН/КПП продавца 7700001235/770001001 (2б)',
      ]
    : [
        'Продавец ИП Соколов Пётр Сергеевич (2)',
        'Адрес 300000, Тульская обл., г. Тула, ул. Садовая, д. 5, кв. 7 (2а)',
        'ИНН/КПП продавца 770000123493 (2б)',
      ];
  const buyer = isCompany
    ? ['Покупатель ООО «Ромашка» (6)', 'ИНН/КПП покупателя 5400007659/540001001 (6б)']
    : ['Покупатель ИП Орлова Анна Викторовна (6)', 'ИНН/КПП покупателя 540000765457 (6б)'];
  const signers = isCompany ? 'Иванов И. И. Петрова А. С.' : 'Соколов П. С. ОГРНИП 323770000012345';

  test('the invoice of an advance names the payment and has dashes for what is not delivered yet', async () => {
    await expectLines(variantOf(advanceInvoice), [
      'СЧЕТ-ФАКТУРА № 7 от 3 февраля 2030 г. (1)',
      'ИСПРАВЛЕНИЕ № – от – (1а)',
      ...seller,
      'Грузоотправитель и его адрес – (3)',
      'Грузополучатель и его адрес – (4)',
      'К платежно-расчетному документу № 4711 от 02.02.2030 (5)',
      'Документ об отгрузке: наименование, № – (5а)',
      'К счету-фактуре (счетам-фактурам) на оплату, частичную оплату – (5б)',
      ...buyer,
      'Валюта: наименование, код Российский рубль, 643 (7)',
      '(соглашения) (при наличии) – (8)',
      '1 1а 1б 2 2а 3 4 5 6 7 8 9 10 10а 11',
      '1 Предварительная оплата: доступ к – – – – – – – 22/122 22 000,00 122 000,00 – – –',
      'Всего к оплате (9) – Х 22 000,00 122 000,00',
      signers,
    ]);
  });

  test('the invoice beside an act names the act, the payments and the invoices of their advances', async () => {
    await expectLines(variantOf(taxInvoice), [
      'СЧЕТ-ФАКТУРА № 6 от 28 февраля 2030 г. (1)',
      ...seller,
      'К платежно-расчетному документу № 4711 от 02.02.2030; № 30d5f7a1-000f-5000-8000-1a2b3c4d5e6f от 20.02.2030 (5)',
      'Документ об отгрузке: наименование, № Акт об оказании услуг, № 5 от 28.02.2030 (5а)',
      'К счету-фактуре (счетам-фактурам) на оплату, частичную оплату № 7 от 03.02.2030; № 9 от 20.02.2030 (5б)',
      ...buyer,
      '1 Доступ к языковым моделям за февраль – 876 усл. ед. 1 100 000,00 100 000,00 без 22% 22 000,00 122 000,00 – – –',
      'Всего к оплате (9) 100 000,00 Х 22 000,00 122 000,00',
      signers,
    ]);
  });
});

describe('the reconciliation', () => {
  const books = [
    'Дата Документ Дебет Кредит Дата Документ Дебет Кредит',
    'Сальдо на 01.01.2030 1 500,00 Сальдо на 01.01.2030 1 500,00',
    '31.01.2030 Акт об оказании услуг 1 500,00 31.01.2030 Акт об оказании услуг 1 500,00',
    '02.02.2030 Оплата, платежное 150 000,00 02.02.2030 Оплата, платежное 150 000,00',
    '28.02.2030 Акт об оказании услуг 122 000,00 28.02.2030 Акт об оказании услуг 122 000,00',
    '12.03.2030 Возврат оплаты 3 000,01 12.03.2030 Возврат оплаты 3 000,01',
    'Обороты за период 126 500,01 150 000,00 Обороты за период 150 000,00 126 500,01',
    'Сальдо на 31.03.2030 24 999,99 Сальдо на 31.03.2030 24 999,99',
  ];

  test('the reconciliation of companies has both books, the turnover, and the closing balance in words', async () => {
    const lines = await expectLines(reconciliation, [
      'Акт сверки № 3 от 2 апреля 2030 г.',
      'взаимных расчетов за период с 1 января 2030 г. по 31 марта 2030 г.',
      'между ООО «Демонстрация» и ООО «Ромашка»',
      'По данным ООО «Демонстрация», руб. По данным ООО «Ромашка», руб.',
      ...books,
      'ОТ ПРОДАВЦА ОТ ПОКУПАТЕЛЯ',
      'Иванов И. И. Кузнецова М. А.',
    ]);
    expect(lines.join(' ')).toContain(
      'По данным ООО «Демонстрация» на 31 марта 2030 г. задолженность ООО «Демонстрация» в пользу ООО «Ромашка» составляет 24 999,99 руб. (Двадцать четыре тысячи девятьсот девяносто девять рублей 99 копеек).',
    );
  });

  test('the reconciliation of sole proprietors has the same books under their names', async () => {
    await expectLines(ofPersons(reconciliation), [
      'По данным ИП Соколов Пётр Сергеевич, руб. По данным ИП Орлова Анна Викторовна, руб.',
      ...books,
      'Соколов П. С. Орлова А. В.',
    ]);
  });

  test('says who owes if the buyer does, and that no party owes anything at zero', async () => {
    const owing = await linesOf({ ...reconciliation, closing: '-0.01' });
    expect(owing.join(' ')).toContain(
      'задолженность ООО «Ромашка» в пользу ООО «Демонстрация» составляет 0,01 руб. (Ноль рублей 01 копейка).',
    );
    const settled = await linesOf({ ...reconciliation, closing: '0.00', lines: [] });
    expect(settled).toContain('По данным ООО «Демонстрация» на 31 марта 2030 г. задолженность отсутствует.');
    expect(settled).toContain('Обороты за период 0,00 0,00 Обороты за период 0,00 0,00');
  });

  test('puts the books’ amounts into the columns of debit and credit', async () => {
    const [page] = await readPdf(await renderDocument(reconciliation));
    const columnsOf = (amount: string) =>
      (page?.texts ?? [])
        .filter(({ text }) => text.replaceAll(/\s/g, ' ') === amount)
        .map(({ x, width }) => ['Дебет', 'Кредит'][Math.floor((((x + width - 45) % 260.14) - 136) / 62)]);
    expect(columnsOf('122 000,00')).toEqual(['Дебет', 'Кредит']);
    expect(columnsOf('3 000,01')).toEqual(['Дебет', 'Кредит']);
    expect(columnsOf('24 999,99')).toEqual(['Кредит', 'Дебет']);
  });
});
