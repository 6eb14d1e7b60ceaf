/**
 * Which order a transfer pays. It is certain if the amount, the payer's INN and the number of the invoice in the purpose
 * all agree with one order and with no other; anything less is a proposal that an operator decides about, and so is a
 * transfer for an order that was canceled.
 */
import type { StatementLine } from './parse-statement.ts';

/** An order by bank transfer that is not booked. */
export interface OpenInvoice {
  readonly paymentId: string;
  readonly accountId: number;
  readonly amountKopecks: bigint;
  /** Of the company that ordered; null if it is not known any more. */
  readonly inn: string | null;
  /** As the purpose names it; null if there is no invoice. */
  readonly number: string | null;
  readonly isCanceled: boolean;
}

export interface Agreement {
  readonly amount: boolean;
  readonly number: boolean;
  readonly inn: boolean;
}

export interface Candidate {
  readonly invoice: OpenInvoice;
  readonly agrees: Agreement;
}

export interface LineMatch {
  readonly state: 'certain' | 'proposed' | 'unmatched';
  /** A sentence for the operator. */
  readonly reason: string;
  /** The best first. */
  readonly candidates: readonly Candidate[];
}

/** Open invoices by what a transfer names them by. */
export class OpenInvoices {
  readonly #byInn: ReadonlyMap<string, readonly OpenInvoice[]>;
  readonly #byNumber: ReadonlyMap<string, readonly OpenInvoice[]>;

  constructor(invoices: readonly OpenInvoice[]) {
    this.#byInn = Map.groupBy(invoices, ({ inn }) => inn ?? '');
    this.#byNumber = Map.groupBy(invoices, ({ number }) => normal(number ?? ''));
  }

  find(payerInn: string, named: ReadonlySet<string>): OpenInvoice[] {
    const ofPayer = payerInn === '' ? [] : (this.#byInn.get(payerInn) ?? []);
    return [...new Set([...ofPayer, ...[...named].flatMap((number) => this.#byNumber.get(number) ?? [])])];
  }
}

type Transfer = Pick<StatementLine, 'amountKopecks' | 'payerInn' | 'purpose'>;

const candidatesMax = 5;
/** Of a transfer: its payer writes what they like. Banks take 210 characters, and an order pays one invoice or a few. */
const purposeMaxLength = 1_000;
const numbersMax = 20;
/** `по счёту № 17`, `счет на оплату N17`, `invoice 17`: a number that is called one, in a text with single spaces. */
const numbers =
  /(?:сч[её]т\p{L}*|сч\.|invoice|inv\.|№|\bno?\.?|#) ?(?:на оплату)? ?(?:№|no?\.?|#)? ?([\p{L}\d][\p{L}\d/-]*)/giu;

export function matchLine(line: Transfer, open: OpenInvoices): LineMatch {
  const named = numbersIn(line.purpose);
  const candidates = open
    .find(line.payerInn, named)
    .map((invoice) => ({ invoice, agrees: compare(line, invoice, named) }))
    .filter(({ invoice, agrees }) => !invoice.isCanceled || agrees.number || (agrees.inn && agrees.amount))
    .sort((one, other) => weightOf(other) - weightOf(one))
    .slice(0, candidatesMax);
  const certain = candidates.filter(({ invoice, agrees }) => !invoice.isCanceled && agreesWholly(agrees));
  if (certain.length === 1) return { state: 'certain', reason: 'Amount, invoice number and INN agree.', candidates };
  const [best] = candidates;
  if (best === undefined) {
    const reason = 'No open invoice has this INN or a number that the purpose names.';
    return { state: 'unmatched', reason, candidates };
  }
  const reason = certain.length > 1 ? 'Several invoices agree in everything.' : describe(best);
  return { state: 'proposed', reason, candidates };
}

export function numbersIn(purpose: string): ReadonlySet<string> {
  const text = purpose.slice(0, purposeMaxLength).replace(/\s+/g, ' ');
  return new Set(
    text
      .matchAll(numbers)
      .take(numbersMax)
      .map(([, number = '']) => normal(number)),
  );
}

function compare({ amountKopecks, payerInn }: Transfer, invoice: OpenInvoice, named: ReadonlySet<string>): Agreement {
  return {
    amount: invoice.amountKopecks === amountKopecks,
    number: invoice.number !== null && named.has(normal(invoice.number)),
    inn: payerInn !== '' && invoice.inn === payerInn,
  };
}

function normal(number: string): string {
  return number.toLowerCase().replace(/^0+(?=\d)/, '');
}

function agreesWholly({ amount, number, inn }: Agreement): boolean {
  return amount && number && inn;
}

/** Of two that agree alike, an open order comes before a canceled one. */
function weightOf({ invoice, agrees: { amount, number, inn } }: Candidate): number {
  return Number(number) * 8 + Number(inn) * 4 + Number(amount) * 2 + Number(!invoice.isCanceled);
}

/** `The amount and the INN agree, the invoice number does not. The order was canceled.` */
function describe({ invoice, agrees }: Candidate): string {
  const agreement = agreesWholly(agrees) ? 'Amount, invoice number and INN agree.' : describeAgreement(agrees);
  return invoice.isCanceled ? `${agreement} The order was canceled.` : agreement;
}

function describeAgreement({ amount, number, inn }: Agreement): string {
  const parts = [
    ['the amount', amount],
    ['the invoice number', number],
    ['the INN', inn],
  ] as const;
  const listed = (agrees: boolean) => parts.filter((part) => part[1] === agrees).map(([name]) => name);
  const [yes, no] = [listed(true), listed(false)];
  const text = `${yes.join(' and ')} ${yes.length === 1 ? 'agrees' : 'agree'}, ${no.join(' and ')} ${no.length === 1 ? 'does' : 'do'} not.`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
