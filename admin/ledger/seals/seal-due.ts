/**
 * Seals the months that are due, oldest first. A month is due a week after its end, and is sealed only if everything agrees
 * and nothing that could belong to it is still on its way: what came later would be refused.
 */
import type { RedisClient } from '../../../shared/redis/connect.ts';
import { whileLocked } from '../../database/advisory-locks.ts';
import { sealedAfterDays } from '../../operations/month-metrics.ts';
import { readUsageQueue } from '../../operations/read-lag.ts';
import { type LedgerMonth, listMonths } from '../months.ts';
import { readSeals } from './seal.ts';
import { type SealWork, sealMonth } from './seal-month.ts';

export interface SealDueWork extends SealWork {
  readonly redis: RedisClient;
  /** What reconciling finds wrong in the ledger; undefined if it finds nothing. */
  findViolation(signal?: AbortSignal): Promise<string | undefined>;
  /** The time by Postgres' clock where undefined. */
  readonly now?: Date;
}

export interface SealedDue {
  readonly sealed: readonly { readonly month: string; readonly hash: string }[];
  /** Why the next month that is due is not sealed; undefined if none is due. */
  readonly waiting: { readonly month: string; readonly reason: string } | undefined;
}

const dayMs = 86_400_000;
/** Charges that have been waiting for longer are not simply on their way. */
const queueMaxMs = 3_600_000;

/** Undefined if another run is working. */
export async function sealDue(work: SealDueWork): Promise<SealedDue | undefined> {
  const { sql } = work;
  return whileLocked(sql, 'seals', async () => {
    const [clock] = await sql<{ now: Date }[]>`SELECT clock_timestamp() AS now`;
    return sealMonths(work, work.now ?? clock?.now ?? new Date());
  });
}

async function sealMonths(work: SealDueWork, now: Date): Promise<SealedDue> {
  const sealed: { month: string; hash: string }[] = [];
  let isSound = false;
  for (const month of await findDue(work, now)) {
    // Reconciling reads all months that are not sealed, so it is done once for all of them.
    const reason = (await findObstacle(work, month, now)) ?? (isSound ? undefined : await findWrong(work));
    if (reason !== undefined) return { sealed, waiting: { month: nameOf(month), reason } };
    isSound = true;
    sealed.push({ month: nameOf(month), hash: await sealMonth(work, month) });
  }
  return { sealed, waiting: undefined };
}

function nameOf({ month }: LedgerMonth): string {
  return month.slice(0, 7);
}

async function findDue({ sql }: SealDueWork, now: Date): Promise<LedgerMonth[]> {
  const last = (await readSeals(sql)).findLast(({ hash }) => hash !== null)?.month.month ?? '';
  const months = await listMonths(sql, ['ledger_lines', 'usage_events', 'usage_requests']);
  return months.filter(({ month, end }) => month > last && end.getTime() + sealedAfterDays * dayMs <= now.getTime());
}

/** Undefined if nothing of the month can still come. */
async function findObstacle({ sql, redis }: SealDueWork, month: LedgerMonth, now: Date): Promise<string | undefined> {
  const { oldestAt } = await readUsageQueue(redis);
  if (oldestAt !== null && now.getTime() - oldestAt.getTime() > queueMaxMs) return 'charges are waiting in Redis';
  const [strays] = await sql<{ found: boolean }[]>`
    SELECT EXISTS (SELECT FROM ledger_lines_default WHERE created_at < ${month.end} AND NOT is_archived_charge)
      OR EXISTS (SELECT FROM usage_events_default WHERE request_id < ${month.untilId})
      OR EXISTS (SELECT FROM usage_requests_default WHERE request_id < ${month.untilId}) AS found`;
  return strays?.found ? 'a default partition has rows of this month or an earlier one' : undefined;
}

async function findWrong({ findViolation, signal }: SealDueWork): Promise<string | undefined> {
  const violation = await findViolation(signal);
  return violation && `the ledger violates its rules: ${violation}`;
}
