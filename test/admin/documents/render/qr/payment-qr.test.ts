/** The QR code of an invoice is decoded from the PDF's own drawing, and has every field that a bank expects. */
import { expect, test } from 'bun:test';
import jsQR from 'jsqr';
import { paymentQrText } from '../../../../../admin/documents/render/qr/payment-qr.ts';
import { renderDocument } from '../../../../../admin/documents/render/render-document.ts';
import { filledRectangles } from '../read-pdf.ts';
import { buyerCompany, company, invoice, longParty, ofPersons } from '../samples.ts';

const pixelsPerPoint = 8;
const margin = 40;

/** The filled rectangles as a picture, with a quiet zone. */
function decode(pdf: Uint8Array): string {
  const rectangles = filledRectangles(pdf);
  const left = Math.min(...rectangles.map(({ x }) => x));
  const top = Math.min(...rectangles.map(({ y }) => y));
  const right = Math.max(...rectangles.map(({ x, width }) => x + width));
  const size = Math.round((right - left) * pixelsPerPoint) + 2 * margin;
  const pixels = new Uint8ClampedArray(size * size * 4).fill(255);
  const at = (value: number, start: number) => Math.round((value - start) * pixelsPerPoint) + margin;
  for (const { x, y, width, height } of rectangles) {
    for (let row = at(y, top); row < at(y + height, top); row += 1) {
      for (let column = at(x, left); column < at(x + width, left); column += 1) {
        pixels.fill(0, (row * size + column) * 4, (row * size + column) * 4 + 3);
      }
    }
  }
  const code = jsQR(pixels, size, size);
  if (code === null) throw new Error('no QR code was found');
  return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(code.binaryData));
}

function fieldsOf(text: string) {
  const [head, ...fields] = text.split('|');
  return { head, ...Object.fromEntries(fields.map((field) => field.split(/=(.*)/s).slice(0, 2))) };
}

test('the QR code of a company has its bank details, the amount in kopecks and the purpose', async () => {
  expect(fieldsOf(decode(await renderDocument(invoice)))).toEqual({
    head: 'ST00012',
    Name: 'ООО «Демонстрация»',
    PersonalAcc: '40702810300000000123',
    BankName: 'АО «Демо-Банк», г. Москва',
    BIC: '044525999',
    CorrespAcc: '30101810600000000999',
    Sum: '12200000',
    Purpose: 'Оплата по счету № 12 от 31.01.2030 за доступ к языковым моделям. В том числе НДС 22 % – 22000-00 руб.',
    PayeeINN: '7700001235',
    KPP: '770001001',
  });
});

test('the QR code of a sole proprietor has no KPP', async () => {
  const fields = fieldsOf(decode(await renderDocument({ ...ofPersons(invoice), amount: '0.01' })));
  expect(fields).toMatchObject({ Name: 'ИП Соколов Пётр Сергеевич', PayeeINN: '770000123493', Sum: '1' });
  expect(Object.keys(fields)).not.toContain('KPP');
});

test('values that are longer than the standard allows are cut, and none has a separator', async () => {
  const seller = { ...longParty(company), bankName: `Банк | ${'имени '.repeat(40)}` };
  const purpose = `Оплата|${'по счету '.repeat(40)}`;
  const fields: Record<string, string> = fieldsOf(decode(await renderDocument({ ...invoice, seller, purpose })));
  expect(Object.keys(fields)).toHaveLength(10);
  expect([fields.Name?.length, fields.BankName?.length, fields.Purpose?.length]).toEqual([160, 45, 210]);
  expect(fields.BankName).toStartWith('Банк имени');
});

test('the invoice of a seller without bank details has no QR code', () => {
  expect(paymentQrText({ ...invoice, seller: buyerCompany })).toBeUndefined();
});
