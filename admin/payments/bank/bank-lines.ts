/** The transfers of uploaded statements: stored once each, and shown with the orders that they may pay. */
import type { Sql } from 'postgres';
import { bankTransfer } from '../../../shared/payment-methods.ts';
import { moscowDay } from '../../catalogue/exchange-rate/rate-schedule.ts';
import type { Database } from '../../database/connect.ts';
import { formatMinorUnits, minorUnits } from '../../money/payment-money.ts';
import { type LineMatch, matchLine } from './match-line.ts';
import { readOpenInvoices } from './open-invoices.ts';
import { isOtherPayer, readOrderInns } from './order-inn.ts';
import type { StatementLine } from './parse-statement.ts';

export interface BankLine extends StatementLine {
  readonly id: number;
  /** The payment that it has confirmed. */
  readonly paymentId: string | null;
}

export interface MatchedLine extends BankLine {
  readonly match: Omit<LineMatch, 'state'> & { readonly state: LineMatch['state'] | 'booked' };
}

interface LineRow {
  readonly id: string;
  readonly bank_date: string;
  readonly number: string;
  readonly amount_kopecks: string;
  readonly payer_account: string;
  readonly payer_inn: string;
  readonly payer_name: string;
  readonly purpose: string;
  readonly payment_id: string | null;
}

/** Returns the lines as they are stored, in the order in which they were given. */
export async function saveLines(sql: Sql, lines: readonly StatementLine[]): Promise<BankLine[]> {
  const of = (value: (line: StatementLine) => string) => lines.map(value);
  const given = sql`unnest(
    ${of(({ bankDate }) => bankDate)}::date[], ${of(({ number }) => number)}::text[],
    ${of(({ payerAccount }) => payerAccount)}::text[], ${of(({ amountKopecks }) => String(amountKopecks))}::bigint[])`;
  await sql`
    INSERT INTO bank_lines (bank_date, number, payer_account, amount_kopecks, payer_inn, payer_name, purpose)
    SELECT * FROM unnest(
      ${of(({ bankDate }) => bankDate)}::date[], ${of(({ number }) => number)}::text[],
      ${of(({ payerAccount }) => payerAccount)}::text[],
      ${of(({ amountKopecks }) => String(amountKopecks))}::bigint[], ${of(({ payerInn }) => payerInn)}::text[],
      ${of(({ payerName }) => payerName)}::text[], ${of(({ purpose }) => purpose)}::text[])
    ON CONFLICT DO NOTHING`;
  const rows = await sql<LineRow[]>`
    SELECT line.*, line.bank_date::text FROM bank_lines AS line
    JOIN (SELECT DISTINCT ON (bank_date, number, payer_account, amount) *
      FROM ${given} WITH ORDINALITY AS given (bank_date, number, payer_account, amount, position)
      ORDER BY bank_date, number, payer_account, amount, position) AS given
      ON (line.bank_date, line.number, line.payer_account, line.amount_kopecks)
        = (given.bank_date, given.number, given.payer_account, given.amount)
    ORDER BY given.position`;
  return rows.map(toLine);
}

/** Those that have confirmed no payment yet, the newest first. */
export async function listOpenLines(
  sql: Sql,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ lines: BankLine[]; total: number }> {
  const rows = await sql<LineRow[]>`
    SELECT *, bank_date::text FROM bank_lines WHERE payment_id IS NULL ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}`;
  const [all] = await sql<{ total: string }[]>`SELECT count(*) AS total FROM bank_lines WHERE payment_id IS NULL`;
  return { lines: rows.map(toLine), total: Number(all?.total ?? 0) };
}

/** Those of the ids that exist. */
export async function readLines(sql: Sql, ids: readonly number[]): Promise<BankLine[]> {
  const rows = await sql<LineRow[]>`
    SELECT *, bank_date::text FROM bank_lines WHERE id = ANY(${[...ids]}::bigint[]) ORDER BY id`;
  return rows.map(toLine);
}

export async function matchLines(
  { db, sql }: Pick<Database, 'db' | 'sql'>,
  lines: readonly BankLine[],
): Promise<MatchedLine[]> {
  const open = await readOpenInvoices(sql, lines);
  const confirmed = await readConfirmed(sql, lines);
  const inns = await readOrderInns(db, [...confirmed.values()]);
  return lines.map((line) => {
    if (line.paymentId !== null) return asBooked(line, line.paymentId, 'Already booked.');
    const paymentId = confirmed.get(identityOf(line));
    if (paymentId !== undefined && !isOtherPayer(line, inns.get(paymentId)))
      return asBooked(line, paymentId, 'Confirmed by an operator, with this number and day.');
    const match = matchLine(line, open);
    // Payers number their transfers, so two of them may use one number on one day.
    if (paymentId === undefined || match.state === 'certain') return { ...line, match };
    const reason =
      `An operator has confirmed payment ${paymentId} with this number and day, but its INN does not agree. Choose the ` +
      'payment that the transfer pays.';
    return { ...line, match: { ...match, state: 'proposed', reason } };
  });
}

function asBooked(line: BankLine, paymentId: string, reason: string): MatchedLine {
  return { ...line, paymentId, match: { state: 'booked', reason, otherAccountIds: [], candidates: [] } };
}

/** Payments that an operator has confirmed without a statement, by what a line would say. */
async function readConfirmed(sql: Sql, lines: readonly BankLine[]): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ id: string; number: string; amount_minor: string; paid_at: Date }[]>`
    SELECT id, provider_reference AS number, amount_minor, paid_at FROM payments
    WHERE method = ${bankTransfer} AND reference_scope = '' AND transaction_id IS NOT NULL
      AND provider_reference = ANY(${lines.map(({ number }) => number)}::text[])`;
  return new Map(
    rows.map(({ id, number, amount_minor, paid_at }) => {
      const line = { number, bankDate: moscowDay(paid_at), amountKopecks: minorUnits(BigInt(amount_minor)) };
      return [identityOf(line), id];
    }),
  );
}

/** What an operator's confirmation and a line have in common. */
function identityOf({ number, bankDate, amountKopecks }: Pick<StatementLine, 'number' | 'bankDate' | 'amountKopecks'>) {
  return `${bankDate} ${formatMinorUnits(amountKopecks)} ${number}`;
}

function toLine(row: LineRow): BankLine {
  return {
    id: Number(row.id),
    bankDate: row.bank_date,
    number: row.number,
    amountKopecks: minorUnits(BigInt(row.amount_kopecks)),
    payerAccount: row.payer_account,
    payerInn: row.payer_inn,
    payerName: row.payer_name,
    purpose: row.purpose,
    paymentId: row.payment_id,
  };
}
