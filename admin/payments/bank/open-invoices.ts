/**
 * The orders by bank transfer that transfers may pay: only those of the payers' INNs, and those whose numbers the purposes
 * name. So orders of strangers, of which there may be any number, cost nothing and do not push out those of others.
 */
import type { Sql } from 'postgres';
import { bankTransfer } from '../../../shared/payment-methods.ts';
import { numbersIn, type OpenInvoice, OpenInvoices } from './match-line.ts';
import type { StatementLine } from './parse-statement.ts';

type Line = Pick<StatementLine, 'bankDate' | 'amountKopecks' | 'payerInn' | 'purpose'>;

interface InvoiceRow {
  readonly id: string;
  readonly account_id: string;
  readonly is_verified: boolean;
  readonly amount_minor: string;
  readonly inn: string | null;
  readonly number: string | null;
  readonly status: string;
}

/** Of each account with a payer's INN: orders of a transferred amount first, then those that wait, then the newest. */
const ofAccountMax = 100;
/** Of all these. The first order of each account comes before the second one of any. */
const openMax = 10_000;
/** As many digits as every integer of Postgres has. */
const invoiceNumber = /^\d{1,9}$/;

export async function readOpenInvoices(sql: Sql, lines: readonly Line[]): Promise<OpenInvoices> {
  const inns = [...new Set(lines.map(({ payerInn }) => payerInn))].filter((inn) => inn !== '');
  const [invoices, accountsOfInn] = await Promise.all([readInvoices(sql, lines, inns), readAccounts(sql, inns)]);
  return new OpenInvoices(invoices, accountsOfInn);
}

async function readInvoices(sql: Sql, lines: readonly Line[], inns: readonly string[]): Promise<OpenInvoice[]> {
  const named = new Set(
    lines.flatMap(({ purpose }) => [...numbersIn(purpose)].filter((text) => invoiceNumber.test(text))),
  );
  const numbers = sql`${[...named].map(Number)}::integer[]`;
  const amounts = sql`${lines.map(({ amountKopecks }) => String(amountKopecks))}::bigint[]`;
  const isOpen = sql`payment.method = ${bankTransfer} AND payment.currency = 'RUB' AND payment.transaction_id IS NULL
    AND payment.status IN ('pending', 'expired', 'review', 'canceled')`;
  const rows = await sql<InvoiceRow[]>`
    WITH ordered_by_payers AS (
      SELECT ordered.id FROM company_details AS company CROSS JOIN LATERAL (
        SELECT payment.id, row_number() OVER (ORDER BY payment.amount_minor = ANY(${amounts}) DESC,
          payment.status = 'pending' DESC, payment.id DESC) AS place
        FROM payments AS payment WHERE payment.account_id = company.account_id AND ${isOpen}
        ORDER BY place LIMIT ${ofAccountMax}) AS ordered
      WHERE company.inn = ANY(${inns}::text[]) ORDER BY ordered.place LIMIT ${openMax}
    ), named AS (
      SELECT payment_id AS id FROM documents
      WHERE type = 'invoice' AND year = ANY(${yearsOf(lines)}::smallint[]) AND number = ANY(${numbers})
    )
    SELECT payment.id, payment.account_id, payment.amount_minor, payment.status, invoice.number::text AS number,
      coalesce(invoice.data #>> '{buyer,inn}', company.inn) AS inn, account.ownership <> 'unproven' AS is_verified
    FROM payments AS payment
    JOIN accounts AS account ON account.id = payment.account_id AND account.deleted_at IS NULL
    LEFT JOIN company_details AS company ON company.account_id = payment.account_id
    LEFT JOIN documents AS invoice ON invoice.payment_id = payment.id AND invoice.type = 'invoice'
      AND NOT EXISTS (SELECT FROM documents AS correction WHERE correction.corrects_id = invoice.id)
    WHERE payment.id IN (SELECT id FROM ordered_by_payers UNION SELECT id FROM named) AND ${isOpen}
    ORDER BY payment.id DESC`;
  return rows.map((row) => ({
    paymentId: row.id,
    accountId: Number(row.account_id),
    isVerified: row.is_verified,
    amountKopecks: BigInt(row.amount_minor),
    inn: row.inn,
    number: row.number,
    isCanceled: row.status === 'canceled',
  }));
}

/** The verified accounts with these INNs, whether they have ordered or not. */
async function readAccounts(sql: Sql, inns: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>> {
  const rows = await sql<{ inn: string; accounts: string[] }[]>`
    SELECT company.inn, array_agg(account.id) AS accounts FROM company_details AS company
    JOIN accounts AS account ON account.id = company.account_id AND account.deleted_at IS NULL
    WHERE company.inn = ANY(${inns}::text[]) AND account.ownership <> 'unproven'
    GROUP BY company.inn`;
  return new Map(rows.map(({ inn, accounts }) => [inn, accounts.map(Number)]));
}

/** Invoice numbers begin again each year, and the invoice of a transfer is at most a year old. */
function yearsOf(lines: readonly Line[]): number[] {
  const years = lines.map(({ bankDate }) => Number(bankDate.slice(0, 4)));
  return [...new Set(years.flatMap((year) => [year, year - 1]))];
}
