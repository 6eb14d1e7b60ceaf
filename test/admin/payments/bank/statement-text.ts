/** Bank statements as banks write them. */

export const sellerAccount = '40702810300000000123';

export interface Transfer {
  readonly number?: string;
  readonly date?: string;
  readonly amount?: string;
  readonly payerAccount?: string;
  readonly payerInn?: string;
  readonly payerName?: string;
  readonly receiver?: string;
  readonly purpose?: string;
}

export function statementOf(transfers: readonly Transfer[], encoding = 'Windows'): string {
  return [
    '1CClientBankExchange',
    'ВерсияФормата=1.03',
    `Кодировка=${encoding}`,
    'Отправитель=Банк',
    'ДатаНачала=01.01.2026',
    'ДатаКонца=31.01.2026',
    `РасчСчет=${sellerAccount}`,
    'СекцияРасчСчет',
    `РасчСчет=${sellerAccount}`,
    'НачальныйОстаток=0.00',
    'КонецРасчСчет',
    ...transfers.flatMap(documentOf),
    'КонецФайла',
    '',
  ].join('\r\n');
}

function documentOf(transfer: Transfer): string[] {
  const { number = '17', date = '15.01.2026', amount = '1000.00', purpose = 'Оплата' } = transfer;
  const { payerAccount = '40702810900000000009', payerInn = '7707083893', receiver = sellerAccount } = transfer;
  const { payerName = 'ООО «Ромашка»' } = transfer;
  return [
    'СекцияДокумент=Платежное поручение',
    `Номер=${number}`,
    `Дата=${date}`,
    `Сумма=${amount}`,
    `ПлательщикСчет=${payerAccount}`,
    `ДатаСписано=${date}`,
    `Плательщик=ИНН ${payerInn} ${payerName}`,
    `ПлательщикИНН=${payerInn}`,
    `Плательщик1=${payerName}`,
    `ПолучательСчет=${receiver}`,
    `ДатаПоступило=${date}`,
    'ПолучательИНН=7736050003',
    `НазначениеПлатежа=${purpose}`,
    'КонецДокумента',
  ];
}

const letters = 'АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя';

/** Windows-1251 and CP866, as far as statements need them. */
export function encode(text: string, encoding: 'windows-1251' | 'ibm866'): Uint8Array {
  const of = (character: string) => {
    const index = letters.indexOf(character);
    if (index < 0) return extra[encoding][character] ?? character.charCodeAt(0);
    if (encoding === 'windows-1251') return 0xc0 + index;
    return index < 48 ? 0x80 + index : 0xe0 + index - 48;
  };
  return Uint8Array.from(text, of);
}

const extra: Record<'windows-1251' | 'ibm866', Record<string, number>> = {
  'windows-1251': { '«': 0xab, '»': 0xbb, ё: 0xb8, '№': 0xb9 },
  ibm866: { '«': 0x22, '»': 0x22, ё: 0xf1, '№': 0xfc },
};
