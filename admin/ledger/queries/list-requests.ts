/**
 * The charged requests of an account, newest first: the latest event of each. Estimates that were replaced are listed only
 * if they are asked for: then the sum of what was booked in a range of time is its usage, regardless of later corrections.
 */
import { and, desc, eq, getTableColumns, gte, lt, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { type NanoUsd, nanoUsd } from '../../../shared/money.ts';
import { arrayLiteral } from '../../database/array-literal.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import { apiKeys } from '../../database/tables/api-keys.ts';
import { keyTerms, modelTerms, usageEvents } from '../../database/tables/usage.ts';
import { asEvents, continueInArchive } from '../archive/archived-selection.ts';
import { eventsColumn } from '../archive/file/charge-columns.ts';
import type { StoredRow } from '../archive/stored-row.ts';
import type { LedgerRead } from '../ledger.ts';
import { earlierOf, laterOf, quarterMs } from '../times.ts';
import { type ChargedDimensions, chargedDimensions, countsFor, quartersOfValue } from './charged-dimensions.ts';
import { type ChargedProject, chargedProject } from './charged-project.ts';
import { chargedQuarters } from './charged-quarters.ts';
import type { ReceiptKey } from './read-receipt.ts';
import { type UsageEvent, usageEventOf } from './usage-event.ts';

/** The position where a page ended. */
export interface RequestPosition {
  readonly chargedAt: Date;
  readonly requestId: string;
  /** A request may have an estimate and its final charge in the same millisecond. */
  readonly rank: number;
}

export interface RequestFilter {
  readonly accountId: number;
  readonly keyId: number | undefined;
  /** Only of keys that were in this project, or this user's, when the charge was made. */
  readonly projectId?: number | undefined;
  readonly memberId?: number | undefined;
  /** Only of requests with this value of the dimension, or without any if that is undefined. */
  readonly dimension?: { readonly dimensionId: number; readonly value: string | undefined } | undefined;
  /** Only of the keys that this user has created; undefined for all. */
  readonly keysOf?: number | undefined;
  readonly model: string | undefined;
  /** Of the time of the charge, inclusive. */
  readonly from: Date | undefined;
  /** Exclusive. */
  readonly to: Date | undefined;
  readonly behind: RequestPosition | undefined;
  /** Also lists estimates that were replaced. */
  readonly replacedToo?: boolean;
}

export interface ListedRequest {
  readonly event: UsageEvent;
  readonly key: ReceiptKey | null;
  readonly project: ChargedProject | null;
  readonly dimensions: ChargedDimensions;
  /** What the event changed the balance by: its cost, less that of the estimate that it replaced. */
  readonly bookedNano: NanoUsd;
}

/**
 * A final event is the latest. A CASE, because Postgres assumes that few rows pass a plain comparison, and then reads all
 * requests of a key and a model instead of the newest; and no EXISTS, for which it may read the whole table.
 */
const isLatestEvent = sql`CASE WHEN ${usageEvents.rank} = 2 OR (
  SELECT final.rank FROM usage_events AS final WHERE final.request_id = ${usageEvents.requestId} AND final.rank = 2
) IS NULL THEN true ELSE false END`;

const booked = sql`${usageEvents.costNano} - coalesce((
  SELECT estimate.cost_nano FROM usage_events AS estimate
  WHERE estimate.request_id = ${usageEvents.requestId} AND estimate.rank < ${usageEvents.rank}
), 0)`.mapWith((text) => nanoUsd(BigInt(text)));

/** The latest quarter of an hour is read in order, and fills a page of what is frequent. In those before, the index for what is rare is used. */
const quartersInTurn = [1, 16, 64];
const quartersMax = 256;

/**
 * What is looked for may be rare among all requests of the account, so it is looked for in quarters of an hour whose totals have it.
 * Those of a project or a person are the requests of the keys that can have made them.
 */
export async function listRequests(ledger: LedgerRead, wanted: RequestFilter, limit: number): Promise<ListedRequest[]> {
  const { db } = ledger;
  const places = await possiblePlaces(db, wanted);
  if (places?.length === 0) return [];
  const assignmentIds = places?.map(({ assignmentId }) => assignmentId);
  const keyIds = places && [...new Set(places.map(({ keyId }) => keyId))];
  const filter = { ...wanted, keyIds, assignmentIds };
  const { accountId, dimension, model, from, behind } = filter;
  if (dimension?.value === undefined && keyIds === undefined && model === undefined)
    return selectEverywhere(ledger, filter, limit);
  const found: ListedRequest[] = [];
  let to = earlierOf(filter.to, behind && new Date(behind.chargedAt.getTime() + 1));
  for (let turn = 0; ; turn += 1) {
    const atOnce = quartersInTurn[turn] ?? quartersMax;
    const range = { accountId, model, assignmentIds, from, to };
    const quarters =
      dimension?.value === undefined
        ? await chargedQuarters(db, range, atOnce)
        : await quartersOfValue(db, { ...range, ...dimension, value: dimension.value }, atOnce);
    if (quarters.length > 0) {
      const isRare = turn > 0;
      found.push(...(await selectEverywhere(ledger, { ...filter, quarters, isRare }, limit - found.length)));
    }
    if (found.length >= limit || quarters.length < atOnce) return found;
    to = quarters.at(-1);
  }
}

type Place = { readonly assignmentId: number; readonly keyId: number };

/** Undefined if the filter does not say. */
async function possiblePlaces(db: DbOrTransaction, filter: RequestFilter): Promise<readonly Place[] | undefined> {
  const { accountId, keyId, projectId, memberId, keysOf } = filter;
  if (projectId === undefined && memberId === undefined && keysOf === undefined)
    return keyId === undefined ? undefined : placesOfKey(db, keyId);
  const ofProject = projectId === undefined ? sql`` : sql`AND project_id = ${projectId}`;
  const ofMember = memberId === undefined ? sql`` : sql`AND user_id = ${memberId}`;
  const ofKey = keyId === undefined ? sql`` : sql`AND key_id = ${keyId}`;
  const created = sql`AND key_id IN (SELECT id FROM api_keys WHERE account_id = ${accountId} AND created_by = ${keysOf})`;
  return readPlaces(
    db,
    sql`
      SELECT id, key_id FROM assignments
      WHERE account_id = ${accountId} ${ofProject} ${ofMember} ${ofKey} ${keysOf === undefined ? sql`` : created}`,
  );
}

/** Of all accounts: only charges of one are listed. */
function placesOfKey(db: DbOrTransaction, keyId: number): Promise<Place[]> {
  return readPlaces(
    db,
    sql`SELECT ${keyId}::bigint AS id, ${keyId}::bigint AS key_id
      UNION SELECT id, key_id FROM key_assignments WHERE key_id = ${keyId}`,
  );
}

async function readPlaces(db: DbOrTransaction, statement: SQL): Promise<Place[]> {
  const rows = await db.execute<{ id: string; key_id: string }>(statement);
  return rows.map(({ id, key_id }) => ({ assignmentId: Number(id), keyId: Number(key_id) }));
}

interface Selected extends RequestFilter {
  readonly keyIds: readonly number[] | undefined;
  readonly assignmentIds: readonly number[] | undefined;
  /** Only of the quarters of an hour that begin then. */
  readonly quarters?: readonly Date[];
  /** Most requests of these quarters are of other keys or models. */
  readonly isRare?: boolean;
}

async function selectEverywhere(ledger: LedgerRead, filter: Selected, limit: number): Promise<ListedRequest[]> {
  const { db, archive, signal } = ledger;
  const { from, to, behind, quarters } = filter;
  const last = earlierOf(to, behind && new Date(behind.chargedAt.getTime() + 1));
  const times = quarters?.map((quarter) => quarter.getTime()) ?? [];
  const earliest = laterOf(from, quarters && new Date(Math.min(...times)));
  const latest = earlierOf(last, quarters && new Date(Math.max(...times) + quarterMs));
  return continueInArchive<ListedRequest>({
    ...{ fromTables: await selectFrom(db, filter, limit), wanted: limit },
    charges: (since) => archive.charges(db, { ...filter, from: laterOf(earliest, since), to: latest, signal }),
    select: async (charges) => {
      const rows = await withOtherEvents(ledger, charges);
      const events = db.$with('usage_events', getTableColumns(usageEvents)).as(asEvents(rows));
      return selectFrom(db.with(events), filter, limit);
    },
    timeOf: ({ event }) => event.chargedAt,
    nameOf: ({ event }) => `${event.requestId} ${event.rank}`,
    compare: newerFirst,
  });
}

/** What a charge was booked with follows from the estimate that it replaced, which was made earlier. */
async function withOtherEvents(
  { db, archive }: LedgerRead,
  charges: readonly StoredRow[],
): Promise<readonly StoredRow[]> {
  const rows = [...charges];
  for (const { request_id, account_id, [eventsColumn]: events } of charges) {
    if (Number(events) < 2) continue;
    const [requestId, accountId] = [String(request_id), Number(account_id)];
    const others = await archive.eventsOf(db, { requestId, accountId });
    rows.push(...others.filter((other) => !rows.some((row) => isSame(row, other))));
  }
  return rows;
}

function isSame(one: StoredRow, other: StoredRow): boolean {
  return one.request_id === other.request_id && Number(one.rank) === Number(other.rank);
}

function newerFirst({ event: one }: ListedRequest, { event: other }: ListedRequest): number {
  const later = other.chargedAt.getTime() - one.chargedAt.getTime();
  if (later !== 0) return later;
  if (one.requestId !== other.requestId) return one.requestId < other.requestId ? 1 : -1;
  return other.rank - one.rank;
}

/** `db` may have archived charges in the place of `usage_events`. */
async function selectFrom(
  db: Pick<DbOrTransaction, 'select'>,
  filter: Selected,
  limit: number,
): Promise<ListedRequest[]> {
  const {
    accountId,
    projectId,
    memberId,
    dimension,
    keyIds,
    assignmentIds,
    model,
    from,
    to,
    behind,
    quarters,
    isRare = false,
    replacedToo = false,
  } = filter;
  // What is rare has to be sorted: else Postgres may read all requests of the account in their order instead.
  const time = isRare ? sql`${usageEvents.chargedAt} + interval '0'` : usageEvents.chargedAt;
  const rows = await db
    .select({
      event: usageEvents,
      key: { name: apiKeys.name, prefix: apiKeys.prefix, createdBy: apiKeys.createdBy },
      project: chargedProject(usageEvents),
      dimensions: chargedDimensions,
      bookedNano: booked,
    })
    .from(usageEvents)
    .leftJoin(apiKeys, eq(apiKeys.id, usageEvents.keyId))
    .where(
      and(
        eq(usageEvents.accountId, accountId),
        keyIds && isOneOf(usageEvents.keyId, keyIds),
        isRare && keyIds ? sql`${keyTerms(usageEvents)} && ${arrayLiteral(keyIds)}::bigint[]` : undefined,
        isRare && model !== undefined
          ? sql`${modelTerms(usageEvents)} @> ARRAY[${`${accountId} ${model}`}]`
          : undefined,
        assignmentIds && (projectId !== undefined || memberId !== undefined)
          ? isOneOf(sql`coalesce(${usageEvents.assignmentId}, ${usageEvents.keyId})`, assignmentIds)
          : undefined,
        quarters && isIn(quarters),
        dimension && countsFor(dimension),
        model === undefined ? undefined : eq(usageEvents.model, model),
        from && gte(usageEvents.chargedAt, from),
        to && lt(usageEvents.chargedAt, to),
        behind && isBehind(behind),
        replacedToo ? undefined : isLatestEvent,
      ),
    )
    .orderBy(sql`${time} desc nulls last`, sql`${usageEvents.requestId} desc`, desc(usageEvents.rank))
    .limit(limit);
  return rows.map((row) => ({ ...row, event: usageEventOf(row.event) }));
}

/** A single id is a plain comparison, for which Postgres reads an index in its order. */
function isOneOf(column: SQLWrapper, ids: readonly number[]): SQL {
  const [id] = ids;
  return ids.length === 1 ? sql`${column} = ${id}` : sql`${column} = ANY(${arrayLiteral(ids)}::bigint[])`;
}

/** Those that follow each other are one range. */
function isIn(quarters: readonly Date[]): SQL | undefined {
  const ranges: { from: Date; to: Date }[] = [];
  for (const from of quarters.toSorted((one, other) => one.getTime() - other.getTime())) {
    const to = new Date(from.getTime() + quarterMs);
    const last = ranges.at(-1);
    if (last?.to.getTime() === from.getTime()) last.to = to;
    else ranges.push({ from, to });
  }
  return or(...ranges.map(({ from, to }) => and(gte(usageEvents.chargedAt, from), lt(usageEvents.chargedAt, to))));
}

/** The request id breaks ties between charges of one millisecond. */
function isBehind({ chargedAt, requestId, rank }: RequestPosition): SQL {
  return sql`(${usageEvents.chargedAt}, ${usageEvents.requestId}, ${usageEvents.rank})
    < (${chargedAt.toISOString()}::timestamptz, ${requestId}::uuid, ${rank}::smallint)`;
}
