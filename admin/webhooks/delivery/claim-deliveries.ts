/**
 * Claims deliveries that are due for an attempt. A claim is a lease, not a lock: it begins an attempt, counts it, and says until when
 * no one else takes it, all in one short statement. So no transaction stays open while a receiver responds, a delivery is never
 * attempted by two senders at once, and those of a sender that died are taken over.
 *
 * Each endpoint and each organization gets its own share of the attempts, and the next one goes to the organization that has the
 * fewest: so those that wait for slow endpoints, however many, do not delay the others'.
 */
import type { Sql } from 'postgres';
import type { webhookEndpoints } from '../../database/tables/webhooks.ts';

export interface ClaimedDelivery {
  readonly id: number;
  readonly eventId: string;
  readonly type: string;
  readonly data: unknown;
  readonly occurredAt: Date;
  /** The number of this attempt; only the newest attempt may record its outcome. */
  readonly attempt: number;
  readonly triesLeft: number;
  readonly endpoint: Pick<
    typeof webhookEndpoints.$inferSelect,
    'id' | 'accountId' | 'url' | 'sealedSecret' | 'formerSealedSecret' | 'formerSecretEndsAt'
  >;
}

/** As a statement returns it. */
export interface ClaimedRow {
  readonly id: string;
  readonly event_id: string;
  readonly type: string;
  readonly data: unknown;
  readonly occurred_at: Date;
  readonly attempts: number;
  readonly tries_left: number;
  readonly endpoint_id: string;
  readonly account_id: string;
  readonly url: string;
  readonly sealed_secret: string;
  readonly former_sealed_secret: string | null;
  readonly former_secret_ends_at: Date | null;
}

/** Far longer than an attempt may take, even if the clocks of two replicas differ by half a minute. */
export const leaseMs = 60_000;

export interface ClaimOptions {
  readonly now: Date;
  /** Of all endpoints together. */
  readonly max: number;
  readonly maxOfEndpoint: number;
  readonly maxOfAccount: number;
  /** How many of these this sender is attempting already, by endpoint. */
  readonly running: ReadonlyMap<string, number>;
}

/** Of active endpoints; of an organization those that have waited longest. */
export async function claimDeliveries(sql: Sql, options: ClaimOptions): Promise<ClaimedDelivery[]> {
  const { now, max, maxOfEndpoint, maxOfAccount, running } = options;
  const rows = await sql<ClaimedRow[]>`
    WITH running AS (
      SELECT * FROM unnest(${[...running.keys()]}::uuid[], ${[...running.values()]}::int[]) AS running (endpoint_id, attempts)
    ), running_of_account AS (
      SELECT account_id, sum(attempts) AS attempts
      FROM running JOIN webhook_endpoints AS endpoint ON endpoint.id = running.endpoint_id GROUP BY account_id
    ), ready AS (
      SELECT delivery.id, delivery.next_attempt_at, coalesce(running_of_account.attempts, 0)
        + row_number() OVER (PARTITION BY endpoint.account_id ORDER BY delivery.next_attempt_at, delivery.id) AS of_account
      FROM webhook_endpoints AS endpoint
      LEFT JOIN running ON running.endpoint_id = endpoint.id
      LEFT JOIN running_of_account ON running_of_account.account_id = endpoint.account_id
      CROSS JOIN LATERAL (
        SELECT id, next_attempt_at FROM webhook_deliveries
        WHERE endpoint_id = endpoint.id AND state = 'pending' AND next_attempt_at <= ${now}
          AND (lease_ends_at IS NULL OR lease_ends_at <= ${now})
        ORDER BY next_attempt_at LIMIT greatest(${maxOfEndpoint} - coalesce(running.attempts, 0), 0)
        FOR UPDATE SKIP LOCKED
      ) AS delivery
      WHERE endpoint.active
    ), due AS (
      SELECT id FROM ready WHERE of_account <= ${maxOfAccount} ORDER BY of_account, next_attempt_at LIMIT ${max}
    )
    UPDATE webhook_deliveries AS delivery
    SET attempts = attempts + 1, tries_left = greatest(tries_left - 1, 0),
      lease_ends_at = ${new Date(now.getTime() + leaseMs)}
    FROM due, webhook_endpoints AS endpoint
    WHERE delivery.id = due.id AND endpoint.id = delivery.endpoint_id
    RETURNING delivery.id, event_id, type, data, occurred_at, attempts, tries_left, endpoint_id, account_id, url,
      sealed_secret, former_sealed_secret, former_secret_ends_at`;
  return rows.map(claimedOf);
}

export function claimedOf(row: ClaimedRow): ClaimedDelivery {
  return {
    id: Number(row.id),
    eventId: row.event_id,
    type: row.type,
    data: row.data,
    occurredAt: row.occurred_at,
    attempt: row.attempts,
    triesLeft: row.tries_left,
    endpoint: {
      id: row.endpoint_id,
      accountId: Number(row.account_id),
      url: row.url,
      sealedSecret: row.sealed_secret,
      formerSealedSecret: row.former_sealed_secret,
      formerSecretEndsAt: row.former_secret_ends_at,
    },
  };
}
