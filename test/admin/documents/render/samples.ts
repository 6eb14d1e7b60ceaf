/** Accounting documents of every form, as the tests and the pictures use them. */
import type {
  AdvanceInvoiceData,
  DocumentData,
  InvoiceData,
  Party,
  ReconciliationData,
  ServiceData,
} from '../../../../admin/documents/document-data.ts';

const bank = {
  bankName: 'АО «Демо-Банк», г. Москва',
  bik: '044525999',
  correspondentAccount: '30101810600000000999',
};

export const company: Party = {
  kind: 'OOO',
  name: 'ООО «Демонстрация»',
  inn: '7700001235',
  kpp: '770001001',
  ogrn: '1237700000120',
  address: '101000, г. Москва, ул. Примерная, д. 1, офис 10',
  ...bank,
  checkingAccount: '40702810300000000123',
  director: 'Иванов И. И.',
  accountant: 'Петрова А. С.',
};

export const person: Party = {
  kind: 'IP',
  name: 'Соколов Пётр Сергеевич',
  inn: '770000123493',
  ogrn: '323770000012345',
  address: '300000, Тульская обл., г. Тула, ул. Садовая, д. 5, кв. 7',
  ...bank,
  checkingAccount: '40802810100000000456',
};

export const buyerCompany: Party = {
  kind: 'OOO',
  name: 'ООО «Ромашка»',
  inn: '5400007659',
  kpp: '540001001',
  ogrn: '1225400000760',
  address: '630000, Новосибирская обл., г. Новосибирск, Красный проспект, д. 17',
  director: 'Кузнецова Мария Андреевна',
};

export const buyerPerson: Party = {
  kind: 'IP',
  name: 'ИП Орлова Анна Викторовна',
  inn: '540000765457',
  ogrn: '322540000076549',
  address: '630000, г. Новосибирск, ул. Ленина, д. 3, кв. 12',
};

/** Names and addresses of the maximum length of company details. */
export const longParty = (party: Party): Party => ({
  ...party,
  name: `${party.kind === 'OOO' ? 'ООО' : 'ИП'} «${'Межрегиональное производственное объединение '.repeat(6).trimEnd()}»`,
  address: `630000, г. Новосибирск, ${'улица с очень длинным названием, '.repeat(14)}д. 1`,
});

const vat = { rate: '22', amount: '22000.00' };

export const invoice: InvoiceData = {
  type: 'invoice',
  number: 12,
  date: '2030-01-31',
  seller: company,
  buyer: buyerCompany,
  service: 'Пополнение баланса: доступ к языковым моделям через программный интерфейс',
  amount: '122000.00',
  vat,
  purpose: 'Оплата по счету № 12 от 31.01.2030 за доступ к языковым моделям. В том числе НДС 22 % – 22000-00 руб.',
  validUntil: '2030-02-14',
};

export const advanceInvoice: AdvanceInvoiceData = {
  type: 'advance_invoice',
  number: 7,
  date: '2030-02-03',
  seller: company,
  buyer: buyerCompany,
  service: 'Предварительная оплата: доступ к языковым моделям',
  amount: '122000.00',
  vat,
  payment: { reference: '4711', date: '2030-02-02' },
};

const models = [
  'openai/gpt-5',
  'anthropic/claude-sonnet',
  'google/gemini-pro',
  'deepseek/deepseek-chat',
  'sber/gigachat',
];

/** Lines that sum to the amount of the samples. */
export function usageOf(count: number): ServiceData['usage'] {
  const cents = (value: bigint) => `${value / 100n}.${String(value % 100n).padStart(2, '0')}`;
  const part = 12_200_000n / BigInt(count);
  const rest = 12_200_000n - part * BigInt(count);
  return Array.from({ length: count }, (_, index) => ({
    model: `${models[index % models.length]}${index < models.length ? '' : `-${index}`}`,
    requests: (index + 1) * 1379,
    amount: cents(index === 0 ? part + rest : part),
  }));
}

/** The same lines, by cost center. */
export function usageByCostCenter(count: number): ServiceData['usage'] {
  const centers = ['ЦФО-40 Поддержка клиентов', 'ЦФО-52 Аналитика', null] as const;
  return usageOf(count).map((line, index) => ({
    ...line,
    costCenter: centers[Math.floor((index * centers.length) / count)] ?? null,
  }));
}

export const act: ServiceData = {
  type: 'act',
  number: 5,
  date: '2030-02-28',
  seller: company,
  buyer: buyerCompany,
  service: 'Доступ к языковым моделям за февраль 2030 г.',
  period: { from: '2030-02-01', to: '2030-02-28' },
  amount: '122000.00',
  vat,
  usage: usageOf(5),
  payments: [
    { reference: '4711', date: '2030-02-02', amount: '100000.00' },
    { reference: '30d5f7a1-000f-5000-8000-1a2b3c4d5e6f', date: '2030-02-20', amount: '22000.00' },
  ],
};

export const upd: ServiceData = {
  ...act,
  type: 'upd',
  advanceInvoices: [
    { number: 7, date: '2030-02-03' },
    { number: 9, date: '2030-02-20' },
  ],
};

export const taxInvoice: ServiceData = {
  ...upd,
  type: 'tax_invoice',
  number: 6,
  act: { number: 5, date: '2030-02-28' },
};

export const reconciliation: ReconciliationData = {
  type: 'reconciliation',
  number: 3,
  date: '2030-04-02',
  seller: company,
  buyer: buyerCompany,
  period: { from: '2030-01-01', to: '2030-03-31' },
  opening: '1500.00',
  closing: '24999.99',
  lines: [
    { date: '2030-01-31', description: 'Акт об оказании услуг № 1 от 31.01.2030', kind: 'provided', amount: '1500.00' },
    { date: '2030-02-02', description: 'Оплата, платежное поручение № 4711', kind: 'paid', amount: '150000.00' },
    {
      date: '2030-02-28',
      description: 'Акт об оказании услуг № 5 от 28.02.2030',
      kind: 'provided',
      amount: '122000.00',
    },
    { date: '2030-03-12', description: 'Возврат оплаты', kind: 'returned', amount: '3000.01' },
  ],
};

export function withoutVat<Data extends DocumentData>(data: Data): Data {
  const { vat: _, ...rest } = data as Data & { vat?: unknown };
  return rest as Data;
}

/** Between two sole proprietors. */
export function ofPersons<Data extends DocumentData>(data: Data): Data {
  return { ...data, seller: person, buyer: buyerPerson };
}
