/** How the forms are laid out: the same bytes each time, pages that continue, and no text over another or off the page. */
import { describe, expect, test } from 'bun:test';
import { getMeta } from 'unpdf';
import type { DocumentData, Party, ServiceData } from '../../../../admin/documents/document-data.ts';
import { renderDocument } from '../../../../admin/documents/render/render-document.ts';
import { type PdfPage, type PlacedText, readPdf } from './read-pdf.ts';
import { ringPng } from './ring-png.ts';
import {
  act,
  advanceInvoice,
  invoice,
  longParty,
  ofPersons,
  reconciliation,
  taxInvoice,
  upd,
  usageOf,
  withoutVat,
} from './samples.ts';

const forms: readonly DocumentData[] = [invoice, advanceInvoice, act, upd, taxInvoice, reconciliation];
const pagesOf = async (data: DocumentData) => readPdf(await renderDocument(data));
const sha = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex');

/** Texts that cover each other by more than the tolerance of their font's height. */
function overlapsOf({ texts }: PdfPage): string[] {
  const touches = (one: PlacedText, other: PlacedText) =>
    one.x + 0.5 < other.x + other.width &&
    other.x + 0.5 < one.x + one.width &&
    one.y - 0.7 * one.height < other.y - 0.5 &&
    other.y - 0.7 * other.height < one.y - 0.5;
  return texts.flatMap((one, index) =>
    texts
      .slice(index + 1)
      .filter((other) => touches(one, other))
      .map((other) => `${one.text} | ${other.text}`),
  );
}

function outsideOf({ texts, width, height }: PdfPage): string[] {
  const isOutside = (text: PlacedText) => text.x < 20 || text.x + text.width > width - 15 || text.y > height - 10;
  return texts.filter(isOutside).map(({ text }) => text);
}

async function expectTidy(data: DocumentData): Promise<PdfPage[]> {
  const pages = await pagesOf(data);
  expect(pages.map(overlapsOf)).toEqual(pages.map(() => []));
  expect(pages.map(outsideOf)).toEqual(pages.map(() => []));
  return pages;
}

const isLandscape = ({ width, height }: PdfPage) => width > height;

test.each(forms.map((data) => [data.type, data] as const))(
  'the form %s has the same bytes for the same data',
  async (_, data) => {
    const first = sha(await renderDocument(data));
    expect(sha(await renderDocument(structuredClone(data)))).toBe(first);
    expect(sha(await renderDocument({ ...data, number: data.number + 1 }))).not.toBe(first);
  },
);

test('the same images give the same bytes, and lie under the texts of an invoice and an act', async () => {
  const look = { stamp: ringPng(120), signature: ringPng(40) };
  for (const data of [invoice, act]) {
    const renderings = await Promise.all(Array.from({ length: 5 }, () => renderDocument(data, look)));
    expect(new Set(renderings.map(sha)).size).toBe(1);
    const [first = new Uint8Array()] = renderings;
    expect(first.length).toBeGreaterThan((await renderDocument(data)).length);
    expect(await readPdf(first)).toEqual(await pagesOf(data));
  }
});

test('a PDF has a valid header, and its title and date are those of the document', async () => {
  const bytes = await renderDocument(invoice);
  expect(Buffer.from(bytes).toString('latin1', 0, 5)).toBe('%PDF-');
  const { info } = await getMeta(bytes.slice());
  expect(info).toMatchObject({ CreationDate: 'D:20300131000000Z', Language: 'ru-RU' });
  expect(String(info.Title).replaceAll('\u00a0', ' ')).toBe('Счет на оплату № 12 от 31.01.2030');
});

test('only the forms with VAT columns are landscape, and their annex is portrait', async () => {
  const orientations = await Promise.all(
    forms.map(async (data) => [data.type, ...(await pagesOf(data)).map(isLandscape)]),
  );
  expect(orientations).toEqual([
    ['invoice', false],
    ['advance_invoice', true],
    ['act', false, false],
    ['upd', true, false],
    ['tax_invoice', true],
    ['reconciliation', false],
  ]);
});

describe('an annex', () => {
  const head = '№ Модель Запросов Сумма, руб.';

  test('an annex of one line has a head, the line and its sum', async () => {
    const [, annex] = await expectTidy({ ...act, usage: usageOf(1) });
    expect(annex?.lines).toContain('1 openai/gpt-5 1 379 122 000,00');
    expect(annex?.lines).toContain('Итого 1 379 122 000,00');
  });

  test('an annex of three pages repeats the head, numbers the pages, and has every line once', async () => {
    const usage = usageOf(120);
    const [first, ...annex] = await expectTidy({ ...act, usage });
    expect(annex).toHaveLength(3);
    expect(annex.map(({ lines }) => lines.filter((line) => line === head).length)).toEqual([1, 1, 1]);
    expect([first, ...annex].map((page) => page?.lines.at(-1))).toEqual(
      [1, 2, 3, 4].map((number) => `Акт об оказании услуг № 5 от 28.02.2030 Страница ${number} из 4`),
    );
    const rows = annex.flatMap(({ lines }) => lines.filter((line) => /^\d+ \S+\/\S+ /.test(line)));
    expect(rows.map((row) => row.split(' ').slice(0, 2))).toEqual(
      usage.map(({ model }, index) => [String(index + 1), model]),
    );
    expect(annex.at(-1)?.lines).toContain('Итого 10 011 540 122 000,00');
  });

  test('is left out if there is no usage to list', async () => {
    expect(await pagesOf({ ...act, usage: [] })).toHaveLength(1);
  });
});

test('a reconciliation of several pages repeats its head and signs below the totals', async () => {
  const lines = Array.from({ length: 25 }, () => reconciliation.lines).flat();
  const pages = await expectTidy({ ...reconciliation, lines });
  expect(pages.length).toBeGreaterThan(2);
  for (const page of pages) {
    expect(page.lines).toContain('Дата Документ Дебет Кредит Дата Документ Дебет Кредит');
  }
  const last = pages.at(-1)?.lines ?? [];
  expect(last.filter((line) => /^Обороты|^ОТ ПРОДАВЦА/.test(line))).toHaveLength(2);
});

describe('no text covers another or leaves the page in', () => {
  const longest = (party: Party): Party => ({ ...longParty(party), director: 'Исполняющий обязанности '.repeat(12) });
  const variants: readonly (readonly [string, <Data extends DocumentData>(data: Data) => DocumentData])[] = [
    ['as usual', (data) => data],
    ['without VAT, of sole proprietors', (data) => withoutVat(ofPersons(data))],
    [
      'with names, addresses and signers of the greatest length',
      (data) => {
        return { ...data, seller: longest(data.seller), buyer: longest(data.buyer) };
      },
    ],
    [
      'with names and addresses that have no spaces',
      (data) => {
        const solid = (party: Party) => ({ ...party, name: 'Ы'.repeat(300), address: 'Щ'.repeat(500) });
        return { ...data, seller: solid(data.seller), buyer: solid(data.buyer) };
      },
    ],
    [
      'with the greatest amounts',
      (data) =>
        ({
          ...data,
          amount: '99999999.99',
          vat: { rate: '22', amount: '18032786.88' },
        }) as DocumentData,
    ],
  ];

  test.each(variants)('%s', async (_name, variantOf) => {
    for (const data of forms.map(variantOf)) {
      // There is no invoice of an advance without VAT.
      if (data.type !== 'advance_invoice' || Object.hasOwn(data, 'vat')) await expectTidy(data);
    }
  });

  test.each([1, 7, 60, 500])('a reconciliation with %i payments', async (count) => {
    const payments = Array.from({ length: count }, (_, index) => ({
      reference: `30d5f7a1-000f-5000-8000-${String(index).padStart(12, '0')}`,
      date: '2030-02-02',
      amount: '1.00',
    }));
    const advanceInvoices = payments.map((_, index) => ({ number: index + 1, date: '2030-02-03' }));
    for (const form of [act, upd, taxInvoice]) {
      const data: ServiceData = { ...form, payments, advanceInvoices };
      const pages = await expectTidy(data);
      const text = pages.flatMap(({ lines }) => lines).join(' ');
      expect(payments.filter(({ reference }) => !text.includes(reference))).toEqual([]);
    }
  });
});
