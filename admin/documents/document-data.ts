/**
 * What an accounting document says. It is stored as JSON with the document when it is issued and never changes, so each
 * form must be readable for ever: fields are only added, and they are optional.
 *
 * Amounts are roubles with two decimals as strings, like "1000.00"; dates are days like "2030-01-31".
 */

/** Seller or buyer. `ogrn` is the OGRNIP of an IP, which has no `kpp`. Only sellers have bank details for certain. */
export interface Party {
  readonly kind: 'OOO' | 'IP';
  readonly name: string;
  readonly inn: string;
  readonly kpp?: string;
  readonly ogrn: string;
  readonly address: string;
  readonly bankName?: string;
  readonly bik?: string;
  readonly checkingAccount?: string;
  readonly correspondentAccount?: string;
  /** Who signs, like "Иванов И. И.". */
  readonly director?: string;
  readonly accountant?: string;
}

/** Absent where the seller pays no VAT. Amounts include it. */
export interface Vat {
  /** Per cent, like "22". */
  readonly rate: string;
  readonly amount: string;
}

/** Another document, or a correction. */
export interface Reference {
  readonly number: number;
  readonly date: string;
}

interface Head {
  /** Without a gap per type and year. */
  readonly number: number;
  readonly date: string;
  /** Of a corrected счёт-фактура or УПД, which keeps its number and date. */
  readonly correction?: Reference;
  readonly seller: Party;
  readonly buyer: Party;
}

/** Счёт на оплату. */
export interface InvoiceData extends Head {
  readonly type: 'invoice';
  readonly service: string;
  readonly amount: string;
  readonly vat?: Vat;
  /** What the payer writes into the order: it has the invoice's number. */
  readonly purpose: string;
  readonly validUntil: string;
}

/** Счёт-фактура на аванс. */
export interface AdvanceInvoiceData extends Head {
  readonly type: 'advance_invoice';
  readonly service: string;
  readonly amount: string;
  readonly vat: Vat;
  /** The payment it was paid with: number and day of the bank's order or the provider's. */
  readonly payment: { readonly reference: string; readonly date: string };
}

/** What a model's usage cost in the month, of one cost center if projects have them. The lines sum to the document's amount. */
export interface UsageLine {
  /** Null is usage in no project, or in one without a cost center; absent if no project has one. */
  readonly costCenter?: string | null;
  readonly model: string;
  readonly requests: number;
  readonly amount: string;
}

/** Акт об оказании услуг, УПД, or счёт-фактура beside an act: the services of one month, with the models as an annex. */
export interface ServiceData extends Head {
  readonly type: 'act' | 'upd' | 'tax_invoice';
  readonly service: string;
  /** First and last day. */
  readonly period: { readonly from: string; readonly to: string };
  readonly amount: string;
  readonly vat?: Vat;
  readonly usage: readonly UsageLine[];
  /** The payments whose roubles were used. */
  readonly payments: readonly { readonly reference: string; readonly date: string; readonly amount: string }[];
  /** Of a tax_invoice: the act beside it. */
  readonly act?: Reference;
  /** With VAT: the invoices of the advances that `payments` were. */
  readonly advanceInvoices?: readonly Reference[];
}

/** Акт сверки. Positive balances are in the buyer's favour: prepaid and not used. */
export interface ReconciliationData extends Head {
  readonly type: 'reconciliation';
  readonly period: { readonly from: string; readonly to: string };
  readonly opening: string;
  readonly closing: string;
  /** Of each, exactly one amount: `paid` by the buyer, `returned` to the buyer, or `provided` as a service. */
  readonly lines: readonly {
    readonly date: string;
    readonly description: string;
    readonly kind: 'paid' | 'returned' | 'provided';
    readonly amount: string;
  }[];
}

export type DocumentData = InvoiceData | AdvanceInvoiceData | ServiceData | ReconciliationData;
export type DocumentType = DocumentData['type'];
