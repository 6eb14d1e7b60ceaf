/**
 * Which order a transfer pays. It is certain if the amount, the payer's INN and the number of the invoice in the purpose
 * all agree with one order of a verified account and with no other; anything less is a proposal that an operator decides
 * about, and so is a transfer for an order that was canceled.
 *
 * Invariant: anyone can write any INN into their details and order with it, so a transfer is not certain while another
 * account is a candidate too: one with the payer's INN, or with an order of the same number and amount.
 */
import type { StatementLine } from './parse-statement.ts';

/** An order by bank transfer that is not booked. */
export interface OpenInvoice {
  readonly paymentId: string;
  readonly accountId: number;
  readonly amountKopecks: bigint;
  /** Whether the account's e-mail address is verified. */
  readonly isVerified: boolean;
  /** The INN of the company that the invoice is issued to; null if it is no longer known. */
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
  /** Further accounts that may have ordered it, also those without an order that is like it. */
  readonly otherAccountIds: readonly number[];
  /** The best first. */
  readonly candidates: readonly Candidate[];
}

/** Open invoices by what a transfer names them by. */
export class OpenInvoices {
  readonly #byInn: ReadonlyMap<string, readonly OpenInvoice[]>;
  readonly #byNumber: ReadonlyMap<string, readonly OpenInvoice[]>;
  readonly #accountsOfInn: ReadonlyMap<string, readonly number[]>;

  /** `accountsOfInn` has the verified accounts with an INN in their details, with or without invoices. */
  constructor(invoices: readonly OpenInvoice[], accountsOfInn: ReadonlyMap<string, readonly number[]> = new Map()) {
    this.#accountsOfInn = accountsOfInn;
    this.#byInn = Map.groupBy(invoices, ({ inn }) => inn ?? '');
    this.#byNumber = Map.groupBy(invoices, ({ number }) => normal(number ?? ''));
  }

  find(payerInn: string, named: ReadonlySet<string>): OpenInvoice[] {
    const ofPayer = payerInn === '' ? [] : (this.#byInn.get(payerInn) ?? []);
    return [...new Set([...ofPayer, ...[...named].flatMap((number) => this.#byNumber.get(number) ?? [])])];
  }

  accountsOf(payerInn: string): readonly number[] {
    return this.#accountsOfInn.get(payerInn) ?? [];
  }
}

type Transfer = Pick<StatementLine, 'amountKopecks' | 'payerInn' | 'purpose'>;

const candidatesMax = 5;
const agreedWholly = 'Amount, invoice number and INN agree.';
/** Of a transfer: its payer writes what they like. Banks take 210 characters, and an order pays one invoice or a few. */
const purposeMaxLength = 1_000;
const numbersMax = 20;
/** `по счёту № 17`, `счет на оплату N17`, `invoice 17`: a number that is called one, in a text with single spaces. */
const numbers =
  /(?:сч[её]т(?:ами|а[хм]?|ом|ов|[еуы])?|сч\.|invoice|inv\.|№|\bno?\.?|#) ?(?:на оплату)? ?(?:№|no?\.?|#)? ?([\p{L}\d][\p{L}\d/-]*)/giu;

export function matchLine(line: Transfer, open: OpenInvoices): LineMatch {
  const named = numbersIn(line.purpose);
  const candidates = open
    .find(line.payerInn, named)
    .map((invoice) => ({ invoice, agrees: compare(line, invoice, named) }))
    .filter(({ invoice, agrees }) => !invoice.isCanceled || agrees.number || (agrees.inn && agrees.amount))
    .sort((one, other) => weightOf(other) - weightOf(one));
  const [best] = candidates;
  if (best === undefined) {
    const reason = 'No open invoice has this INN or a number that the purpose names.';
    return { state: 'unmatched', reason, otherAccountIds: [], candidates };
  }
  const otherAccountIds = rivalsOf(best, candidates, open.accountsOf(line.payerInn));
  const found = { otherAccountIds, candidates: shownOf(candidates) };
  const whole = candidates.filter(({ invoice, agrees }) => !invoice.isCanceled && agreesWholly(agrees));
  if (whole.length > 1) return { state: 'proposed', reason: 'Several invoices match completely.', ...found };
  const doubt = whole.length === 1 ? describeDoubt(best, otherAccountIds) : describe(best);
  return doubt === undefined
    ? { state: 'certain', reason: agreedWholly, ...found }
    : { state: 'proposed', reason: doubt, ...found };
}

/** In the order of their ids. */
function rivalsOf(best: Candidate, candidates: readonly Candidate[], ofInn: readonly number[]): number[] {
  const alike = candidates.filter(({ agrees: { amount, number, inn } }) => inn || (amount && number));
  const accounts = new Set([...ofInn, ...alike.map(({ invoice }) => invoice.accountId)]);
  accounts.delete(best.invoice.accountId);
  return [...accounts].sort((one, other) => one - other).slice(0, candidatesMax);
}

/** The best of each account before any second one, so that many orders of one account hide no other account. */
function shownOf(candidates: readonly Candidate[]): Candidate[] {
  const ofAccounts = Map.groupBy(candidates, ({ invoice }) => invoice.accountId);
  const best = [...ofAccounts.values()].flatMap(([first]) => first ?? []);
  const shown = new Set([...new Set([...best, ...candidates])].slice(0, candidatesMax));
  return candidates.filter((candidate) => shown.has(candidate));
}

/** Why an order that agrees in everything is not certain; undefined if it is. */
function describeDoubt({ invoice }: Candidate, otherAccountIds: readonly number[]): string | undefined {
  if (!invoice.isVerified) return `${agreedWholly} The account's e-mail address is not verified.`;
  if (otherAccountIds.length === 0) return undefined;
  const others = `account${otherAccountIds.length === 1 ? '' : 's'} ${otherAccountIds.join(', ')}`;
  return `${agreedWholly} But besides account ${invoice.accountId}, ${others} may have ordered it: the INN or the order is the same.`;
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

/** Of two that agree alike, an open order comes before a canceled one, and then that of a verified account. */
function weightOf({ invoice: { isCanceled, isVerified }, agrees: { amount, number, inn } }: Candidate): number {
  return Number(number) * 16 + Number(inn) * 8 + Number(amount) * 4 + Number(!isCanceled) * 2 + Number(isVerified);
}

/** `The amount and the INN agree, the invoice number does not. The order was canceled.` */
function describe({ invoice, agrees }: Candidate): string {
  const agreement = agreesWholly(agrees) ? agreedWholly : describeAgreement(agrees);
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
