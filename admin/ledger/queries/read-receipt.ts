/**
 * Everything known about a charged request, from one snapshot of the ledger: its usage, its prices, the lines booked
 * for it, and the balance after them.
 */
import { and, asc, eq, type SQL } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { NanoUsd } from '../../../shared/money.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import type { PriceRow } from '../../database/rows/price-row.ts';
import { apiKeys } from '../../database/tables/api-keys.ts';
import { modelPrices } from '../../database/tables/catalogue.ts';
import { columnsOfLines, journalLines, type LedgerLine } from '../../database/tables/ledger-views.ts';
import { usageEvents } from '../../database/tables/usage.ts';
import { asLines } from '../archive/archived-selection.ts';
import { eventOfRow, type StoredRow } from '../archive/stored-row.ts';
import { recoveredModel } from '../charges/recovered-charge.ts';
import { type Ledger, type LedgerRead, readSnapshot } from '../ledger.ts';
import { type ChargedDimensions, readChargedDimensions } from './charged-dimensions.ts';
import { type ChargedProject, readChargedProject } from './charged-project.ts';
import { readBalancesAfter } from './read-balances-after.ts';
import { type UsageEvent, usageEventOf } from './usage-event.ts';

export interface Receipt {
  readonly event: UsageEvent;
  /** The estimate that `event` replaced. */
  readonly estimate: UsageEvent | undefined;
  readonly price: PriceRow;
  readonly key: ReceiptKey | undefined;
  readonly project: ChargedProject | null;
  readonly dimensions: ChargedDimensions;
  /** In the order in which they changed the balance; none if nothing was charged. */
  readonly lines: readonly LedgerLine[];
  readonly balanceAfterNano: NanoUsd;
}

export interface ReceiptKey {
  readonly name: string;
  readonly prefix: string;
  /** The user whose key it is. */
  readonly createdBy: number | null;
}

export interface ReceiptSearch {
  readonly requestId: string;
  readonly accountId?: number;
  /** Only of the keys that this user has created; undefined for all. */
  readonly keysOf?: number | undefined;
}

/**
 * Undefined if there is no such request, or it belongs to another account or user than the given one. Throws GatewayError
 * `not_found` for charges that were recovered without their receipts.
 */
export function readReceipt(
  { db, archive }: Ledger,
  { requestId, accountId, keysOf }: ReceiptSearch,
): Promise<Receipt | undefined> {
  return readSnapshot({ db }, async (transaction) => {
    const ledger = { db: transaction, archive };
    const { events, archived } = await readEvents(ledger, { requestId, accountId });
    const event = events.at(-1);
    if (event === undefined || (accountId !== undefined && event.accountId !== accountId)) return undefined;
    const key = await readKey(transaction, event.keyId);
    if (keysOf !== undefined && key?.createdBy !== keysOf) return undefined;
    if (event.model === recoveredModel) throw noReceiptLeft(requestId);
    const lines = await readLines(transaction, events, archived);
    return {
      event,
      estimate: events.length > 1 ? events[0] : undefined,
      price: await readPrice(transaction, event),
      key,
      project: await readChargedProject(transaction, event),
      dimensions: await readChargedDimensions(transaction, event),
      lines,
      balanceAfterNano: await readBalanceAfter(ledger, { event, line: lines.at(-1) }),
    };
  });
}

/** Throws GatewayError `not_found`. */
export function foundReceipt(receipt: Receipt | undefined, requestId: string): Receipt {
  if (receipt === undefined) throw requestNotFound(requestId);
  return receipt;
}

export function requestNotFound(requestId: string): GatewayError {
  return new GatewayError('not_found', `There is no charge for request ${requestId}, or it is not booked yet.`, {
    param: 'requestId',
  });
}

interface FoundEvents {
  readonly events: readonly UsageEvent[];
  /** The same, if they are in the archive. */
  readonly archived: readonly StoredRow[];
}

async function readEvents(
  { db, archive }: LedgerRead,
  { requestId, accountId }: { readonly requestId: string; readonly accountId: number | undefined },
): Promise<FoundEvents> {
  const events = await db
    .select()
    .from(usageEvents)
    .where(eq(usageEvents.requestId, requestId))
    .orderBy(asc(usageEvents.rank));
  if (events.length > 0) return { events: events.map(usageEventOf), archived: [] };
  const archived = await archive.eventsOf(db, { requestId, accountId });
  return { events: archived.map(eventOfRow), archived };
}

function noReceiptLeft(requestId: string): GatewayError {
  const sum = 'is the sum of charges whose receipts were lost when the database was restored';
  return new GatewayError('not_found', `Request ${requestId} ${sum}.`, { param: 'requestId' });
}

/** A line has the time of its event, by which the account's lines are indexed; there is no index on request ids. */
async function readLines(
  transaction: DbOrTransaction,
  events: readonly UsageEvent[],
  archived: readonly StoredRow[],
): Promise<LedgerLine[]> {
  const found = archived.length === 0 ? [] : await selectArchived(transaction, archived);
  for (const { accountId, requestId, chargedAt } of events) {
    const isLine = and(
      eq(journalLines.accountId, accountId),
      eq(journalLines.createdAt, chargedAt),
      eq(journalLines.requestId, requestId),
    );
    found.push(...(await selectLines(transaction, isLine)));
  }
  // Two events may have the same time, and archived ones may have left their lines in the ledger.
  const lines = [...new Map(found.map((line) => [line.id, line])).values()];
  return lines.sort((one, other) => Number(one.createdAt) - Number(other.createdAt) || one.id - other.id);
}

function selectArchived(transaction: DbOrTransaction, charges: readonly StoredRow[]): Promise<LedgerLine[]> {
  const archived = transaction.$with('journal_lines', columnsOfLines(journalLines)).as(asLines(charges));
  return selectLines(transaction.with(archived));
}

function selectLines(db: Pick<DbOrTransaction, 'select'>, where?: SQL): Promise<LedgerLine[]> {
  return db.select(columnsOfLines(journalLines)).from(journalLines).where(where);
}

async function readPrice(transaction: DbOrTransaction, { priceVersion, requestId }: UsageEvent): Promise<PriceRow> {
  const [price] = await transaction.select().from(modelPrices).where(eq(modelPrices.version, priceVersion));
  // Prices are append-only, and a proxy only uses prices that are stored here.
  if (price === undefined)
    throw new Error(`request ${requestId} was charged at price ${priceVersion}, which is missing`);
  return price;
}

async function readKey(transaction: DbOrTransaction, id: number): Promise<ReceiptKey | undefined> {
  const [key] = await transaction
    .select({ name: apiKeys.name, prefix: apiKeys.prefix, createdBy: apiKeys.createdBy })
    .from(apiKeys)
    .where(eq(apiKeys.id, id));
  return key;
}

/** A request that cost nothing has no line; then the balance is that after everything booked up to its charge. */
async function readBalanceAfter(
  ledger: LedgerRead,
  { event: { accountId, chargedAt }, line }: { readonly event: UsageEvent; readonly line: LedgerLine | undefined },
): Promise<NanoUsd> {
  const position = {
    id: line?.id ?? Number.MAX_SAFE_INTEGER,
    exactTime: (line?.createdAt ?? chargedAt).toISOString().replace('Z', '000Z'),
  };
  const [balance] = await readBalancesAfter(ledger, { accountId, positions: [position] });
  if (balance === undefined) throw new Error(`a charge without an account ${accountId}`);
  return balance;
}
