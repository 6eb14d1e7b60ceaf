/**
 * What transactions are about, in parts, so that it can be said in any language: the units of a charge, the payment behind a
 * credit. The text of a ledger line says the same in English, and stays.
 */
import { eq, inArray } from 'drizzle-orm';
import { perUnitInstead, type UnitInstead } from '../../../shared/usage/billable-units.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import { kindOfRefund } from '../../database/rows/refund.ts';
import type { LedgerLine } from '../../database/tables/ledger-views.ts';
import { type PaymentCurrency, paymentRefunds, payments } from '../../database/tables/payments.ts';
import { usageEvents } from '../../database/tables/usage.ts';
import { eventOfRow } from '../archive/stored-row.ts';
import { canBeArchived } from '../archive/usage-archive.ts';
import { recoveredModel } from '../charges/recovered-charge.ts';
import type { LedgerRead } from '../ledger.ts';
import { type UsageEvent, usageEventOf } from './usage-event.ts';

export const transactionKinds = [
  'usage',
  'recovered_usage',
  'top_up',
  'refund',
  'reversal',
  'restoration',
  'failed_refund',
  'collection',
  'credit',
  'debit',
] as const;
export type TransactionKind = (typeof transactionKinds)[number];

type ChargedUnit = 'promptTokens' | 'completionTokens' | UnitInstead;

export interface ChargedUnits extends Readonly<Record<ChargedUnit, number>> {
  /** Of images `1024x1024/high`, of tokens `flex>200000`; empty for the usual prices. */
  readonly variant: string;
  readonly isEstimated: boolean;
}

export interface PaidPart {
  readonly paymentId: string;
  readonly method: string;
  readonly amountMinor: bigint;
  readonly currency: PaymentCurrency;
}

export interface TransactionParts {
  /** `credit` and `debit`: an operator booked it, and the line's text is the operator's own. */
  readonly kind: TransactionKind;
  /** Of `usage`, unless its month was archived by an earlier version. */
  readonly units?: ChargedUnits;
  /** Of payments and what went back of them. */
  readonly payment?: PaidPart;
}

interface DescribedLine {
  readonly line: LedgerLine;
  /** If it is known already. */
  readonly event?: UsageEvent | undefined;
}

/** In the order of the lines. */
export async function readParts(ledger: LedgerRead, rows: readonly DescribedLine[]): Promise<TransactionParts[]> {
  const inTables = rows.filter(({ event }) => event === undefined).map(({ line }) => line);
  const paymentOf = await readPayments(ledger.db, inTables);
  const events = await readEvents(ledger.db, inTables);
  const left = inTables.filter(({ type, requestId }) => type === 'usage' && !events.has(requestId ?? ''));
  for (const [requestId, ranked] of await readArchived(ledger, left)) events.set(requestId, ranked);
  return rows.map(({ line, event }) => {
    if (event !== undefined) return partsOfUsage(line, event);
    if (line.type === 'usage') return partsOfUsage(line, eventOf(line, events.get(line.requestId ?? '') ?? []));
    return paymentOf.get(line.id) ?? { kind: line.amountNano > 0n ? 'credit' : 'debit' };
  });
}

function partsOfUsage(line: LedgerLine, event: UsageEvent | undefined): TransactionParts {
  if (line.model === recoveredModel) return { kind: 'recovered_usage' };
  if (event === undefined) return { kind: 'usage' };
  const { variant, estimated: isEstimated, ...counts } = event;
  const { promptTokens, completionTokens } = counts;
  const others = perUnitInstead(({ name }) => counts[name] ?? 0);
  return { kind: 'usage', units: { promptTokens, completionTokens, ...others, variant, isEstimated } };
}

/** Each event of a request is booked with the difference to the one before. */
function eventOf({ amountNano }: LedgerLine, ranked: readonly UsageEvent[]): UsageEvent | undefined {
  const booked = ranked.filter(({ costNano }, index) => costNano - (ranked[index - 1]?.costNano ?? 0n) === -amountNano);
  return booked[0] ?? ranked.at(-1);
}

async function readEvents(db: DbOrTransaction, lines: readonly LedgerLine[]): Promise<Map<string, UsageEvent[]>> {
  const ids = [...new Set(lines.flatMap(({ requestId }) => requestId ?? []))];
  if (ids.length === 0) return new Map();
  const events = await db
    .select()
    .from(usageEvents)
    .where(inArray(usageEvents.requestId, ids))
    .orderBy(usageEvents.requestId, usageEvents.rank);
  return Map.groupBy(events.map(usageEventOf), ({ requestId }) => requestId);
}

/** Of lines that stayed when their charges were archived: version 0.1.0 has booked these apart. */
async function readArchived(
  { db, archive }: LedgerRead,
  lines: readonly LedgerLine[],
): Promise<ReadonlyMap<string, UsageEvent[]>> {
  const times = lines.map(({ createdAt }) => createdAt).filter((time) => canBeArchived(time));
  const accountId = lines[0]?.accountId;
  if (times.length === 0 || typeof accountId !== 'number') return new Map();
  const from = times.reduce((one, other) => (one < other ? one : other));
  const to = new Date(times.reduce((one, other) => (one > other ? one : other)).getTime() + 1);
  const events: UsageEvent[] = [];
  for await (const { rows } of archive.charges(db, { accountId, from, to })) events.push(...rows.map(eventOfRow));
  events.sort((one, other) => one.rank - other.rank);
  return Map.groupBy(events, ({ requestId }) => requestId);
}

async function readPayments(db: DbOrTransaction, lines: readonly LedgerLine[]): Promise<Map<number, TransactionParts>> {
  const ids = lines.filter(({ type }) => type !== 'usage').map(({ id }) => id);
  const parts = new Map<number, TransactionParts>();
  if (ids.length === 0) return parts;
  const paid = await db.select().from(payments).where(inArray(payments.transactionId, ids));
  for (const { id: paymentId, transactionId, method, amountMinor, currency } of paid) {
    if (transactionId === null) continue;
    parts.set(transactionId, { kind: 'top_up', payment: { paymentId, method, amountMinor, currency } });
  }
  const returned = await db
    .select({ refund: paymentRefunds, method: payments.method, currency: payments.currency })
    .from(paymentRefunds)
    .innerJoin(payments, eq(payments.id, paymentRefunds.paymentId))
    .where(inArray(paymentRefunds.transactionId, ids));
  for (const { refund, method, currency } of returned) {
    const { paymentId, transactionId, amountMinor } = refund;
    const kind = kindOfRefund(refund);
    if (transactionId === null || kind === 'dispute') continue;
    parts.set(transactionId, { kind, payment: { paymentId, method, amountMinor, currency } });
  }
  return parts;
}
