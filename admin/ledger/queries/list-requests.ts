/**
 * The charged requests of an account, newest first: the latest event of each. Estimates that were replaced are listed only
 * if they are asked for: then the sum of what was booked in a range of time is its usage, regardless of later corrections.
 */
import { and, eq, gte, lt, type SQL, sql } from 'drizzle-orm';
import { type NanoUsd, nanoUsd } from '../../../shared/money.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import { apiKeys } from '../../database/tables/api-keys.ts';
import { usageEvents } from '../../database/tables/usage.ts';
import { type ChargedDimensions, chargedDimensions, countsFor } from './charged-dimensions.ts';
import { type ChargedProject, chargedProject } from './charged-project.ts';
import type { UsageEvent } from './itemise-charge.ts';
import type { ReceiptKey } from './read-receipt.ts';

/** The position where a page ended. */
export interface RequestPosition {
  readonly chargedAt: Date;
  readonly requestId: string;
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

export function listRequests(db: DbOrTransaction, filter: RequestFilter, limit: number): Promise<ListedRequest[]> {
  const {
    accountId,
    keyId,
    projectId,
    memberId,
    dimension,
    keysOf,
    model,
    from,
    to,
    behind,
    replacedToo = false,
  } = filter;
  return db
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
        keyId === undefined ? undefined : eq(usageEvents.keyId, keyId),
        projectId === undefined && memberId === undefined ? undefined : wasAssigned({ accountId, projectId, memberId }),
        dimension && countsFor(dimension),
        keysOf === undefined ? undefined : eq(apiKeys.createdBy, keysOf),
        model === undefined ? undefined : eq(usageEvents.model, model),
        from && gte(usageEvents.chargedAt, from),
        to && lt(usageEvents.chargedAt, to),
        behind && isBehind(behind),
        replacedToo ? undefined : isLatestEvent,
      ),
    )
    .orderBy(sql`${usageEvents.chargedAt} desc nulls last`, sql`${usageEvents.requestId} desc`)
    .limit(limit);
}

function wasAssigned({
  accountId,
  projectId,
  memberId,
}: Pick<RequestFilter, 'accountId' | 'projectId' | 'memberId'>): SQL {
  const ofProject = projectId === undefined ? sql`` : sql`AND project_id = ${projectId}`;
  const ofMember = memberId === undefined ? sql`` : sql`AND user_id = ${memberId}`;
  return sql`coalesce(${usageEvents.assignmentId}, ${usageEvents.keyId}) IN (
    SELECT id FROM assignments WHERE account_id = ${accountId} ${ofProject} ${ofMember})`;
}

/** The request id breaks ties between charges of one millisecond. */
function isBehind({ chargedAt, requestId }: RequestPosition): SQL {
  return sql`(${usageEvents.chargedAt}, ${usageEvents.requestId})
    < (${chargedAt.toISOString()}::timestamptz, ${requestId}::uuid)`;
}
