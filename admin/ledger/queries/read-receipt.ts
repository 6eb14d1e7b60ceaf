/**
 * Everything known about a charged request, from one snapshot of the ledger: its usage, its prices, the lines booked
 * for it, and the balance after them.
 */
import { and, asc, eq } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { NanoUsd } from '../../../shared/money.ts';
import type { Db, DbOrTransaction } from '../../database/connect.ts';
import type { PriceRow } from '../../database/rows/price-row.ts';
import { apiKeys } from '../../database/tables/api-keys.ts';
import { modelPrices } from '../../database/tables/catalogue.ts';
import { journalLines, type LedgerLine } from '../../database/tables/ledger-views.ts';
import { usageEvents } from '../../database/tables/usage.ts';
import { readArchivedEvents } from '../archive/archived-requests.ts';
import { recoveredModel } from '../charges/recovered-charge.ts';
import { type ChargedDimensions, readChargedDimensions } from './charged-dimensions.ts';
import { type ChargedProject, readChargedProject } from './charged-project.ts';
import type { UsageEvent } from './itemise-charge.ts';
import { readBalancesAfter } from './read-balances-after.ts';

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

interface ReceiptSearch {
  readonly requestId: string;
  readonly accountId?: number;
  /** Only of the keys that this user has created; undefined for all. */
  readonly keysOf?: number | undefined;
}

const snapshot = { isolationLevel: 'repeatable read', accessMode: 'read only' } as const;

/**
 * Undefined if there is no such request, or it belongs to another account or user than the given one. Throws GatewayError
 * `not_found` for charges that were recovered without their receipts.
 */
export function readReceipt(db: Db, { requestId, accountId, keysOf }: ReceiptSearch): Promise<Receipt | undefined> {
  return db.transaction(async (transaction) => {
    const events = await readEvents(transaction, requestId);
    const event = events.at(-1);
    if (event === undefined || (accountId !== undefined && event.accountId !== accountId)) return undefined;
    const key = await readKey(transaction, event.keyId);
    if (keysOf !== undefined && key?.createdBy !== keysOf) return undefined;
    if (event.model === recoveredModel) throw noReceiptLeft(requestId);
    const lines = await readLines(transaction, events);
    return {
      event,
      estimate: events.length > 1 ? events[0] : undefined,
      price: await readPrice(transaction, event),
      key,
      project: await readChargedProject(transaction, event),
      dimensions: await readChargedDimensions(transaction, event),
      lines,
      balanceAfterNano: await readBalanceAfter(transaction, event, lines.at(-1)),
    };
  }, snapshot);
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

async function readEvents(transaction: DbOrTransaction, requestId: string): Promise<UsageEvent[]> {
  const events = await transaction
    .select()
    .from(usageEvents)
    .where(eq(usageEvents.requestId, requestId))
    .orderBy(asc(usageEvents.rank));
  return events.length > 0 ? events : readArchivedEvents(transaction, requestId);
}

function noReceiptLeft(requestId: string): GatewayError {
  const sum = 'is the sum of charges whose receipts were lost when the database was restored';
  return new GatewayError('not_found', `Request ${requestId} ${sum}.`, { param: 'requestId' });
}

/** A line has the time of its event, by which the account's lines are indexed; there is no index on request ids. */
async function readLines(transaction: DbOrTransaction, events: readonly UsageEvent[]): Promise<LedgerLine[]> {
  const found: LedgerLine[] = [];
  for (const time of new Set(events.map(({ chargedAt }) => chargedAt.getTime()))) {
    const [event] = events;
    if (event === undefined) break;
    const { accountId, requestId } = event;
    const at = eq(journalLines.createdAt, new Date(time));
    found.push(
      ...(await transaction
        .select()
        .from(journalLines)
        .where(and(eq(journalLines.accountId, accountId), at, eq(journalLines.requestId, requestId)))),
    );
  }
  return found.sort((one, other) => Number(one.createdAt) - Number(other.createdAt) || one.id - other.id);
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
  transaction: DbOrTransaction,
  { accountId, chargedAt }: UsageEvent,
  line: LedgerLine | undefined,
): Promise<NanoUsd> {
  const position = {
    id: line?.id ?? Number.MAX_SAFE_INTEGER,
    exactTime: (line?.createdAt ?? chargedAt).toISOString(),
  };
  const [balance] = await readBalancesAfter(transaction, accountId, [position]);
  if (balance === undefined) throw new Error(`a charge without an account ${accountId}`);
  return balance;
}
