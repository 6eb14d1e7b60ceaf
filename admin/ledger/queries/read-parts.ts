/**
 * What transactions are about, in parts, so that it can be said in any language: the units of a charge, the payment behind a
 * credit. The text of a ledger line says the same in English, and stays.
 */
import { eq, inArray } from 'drizzle-orm';
import { perUnitInstead, type UnitInstead } from '../../../shared/usage/billable-units.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import type { LedgerLine } from '../../database/tables/ledger-views.ts';
import { type PaymentCurrency, paymentRefunds, payments } from '../../database/tables/payments.ts';
import { usageEvents } from '../../database/tables/usage.ts';
import { recoveredModel } from '../charges/recovered-charge.ts';

export const transactionKinds = [
  'usage',
  'recovered_usage',
  'top_up',
  'refund',
  'reversal',
  'restoration',
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
  /** Of `usage`, until the usage of its month is archived. */
  readonly units?: ChargedUnits;
  /** Of `top_up`, `refund`, `reversal` and `restoration`. */
  readonly payment?: PaidPart;
}

type Event = typeof usageEvents.$inferSelect;

const refundKinds = { ordered: 'refund', reversed: 'reversal', restored: 'restoration' } as const;

/** In the order of the lines. */
export async function readParts(db: DbOrTransaction, lines: readonly LedgerLine[]): Promise<TransactionParts[]> {
  const paymentOf = await readPayments(db, lines);
  const events = await readEvents(db, lines);
  return lines.map((line) => {
    if (line.type === 'usage') return partsOfUsage(line, events);
    return paymentOf.get(line.id) ?? { kind: line.amountNano > 0n ? 'credit' : 'debit' };
  });
}

function partsOfUsage(line: LedgerLine, events: ReadonlyMap<string, readonly Event[]>): TransactionParts {
  if (line.model === recoveredModel) return { kind: 'recovered_usage' };
  const event = eventOf(line, events.get(line.requestId ?? '') ?? []);
  if (event === undefined) return { kind: 'usage' };
  const { variant, estimated: isEstimated, ...counts } = event;
  const { promptTokens, completionTokens } = counts;
  const others = perUnitInstead(({ name }) => counts[name] ?? 0);
  return { kind: 'usage', units: { promptTokens, completionTokens, ...others, variant, isEstimated } };
}

/** Each event of a request is booked with the difference to the one before. */
function eventOf({ amountNano }: LedgerLine, ranked: readonly Event[]): Event | undefined {
  const booked = ranked.filter(({ costNano }, index) => costNano - (ranked[index - 1]?.costNano ?? 0n) === -amountNano);
  return booked[0] ?? ranked.at(-1);
}

async function readEvents(db: DbOrTransaction, lines: readonly LedgerLine[]): Promise<Map<string, Event[]>> {
  const ids = [...new Set(lines.flatMap(({ requestId }) => requestId ?? []))];
  if (ids.length === 0) return new Map();
  const events = await db
    .select()
    .from(usageEvents)
    .where(inArray(usageEvents.requestId, ids))
    .orderBy(usageEvents.requestId, usageEvents.rank);
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
    const { paymentId, transactionId, kind, amountMinor } = refund;
    if (transactionId === null) continue;
    parts.set(transactionId, { kind: refundKinds[kind], payment: { paymentId, method, amountMinor, currency } });
  }
  return parts;
}
