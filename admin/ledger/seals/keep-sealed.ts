/**
 * The worker's step: once an hour, it seals what is due, and compares one sealed month with its seal, the one that was not
 * compared for longest. So a ledger of any age costs the same.
 */
import { monotonicMs } from '../../../shared/durations.ts';
import type { Log } from '../../../shared/log.ts';
import type { UsageArchive } from '../archive/usage-archive.ts';
import type { Turn } from '../turn.ts';
import { type SealDueWork, sealDue } from './seal-due.ts';
import { type VerifiedMonth, verifyMonth } from './verify-month.ts';

const turnEveryMs = 3_600_000;
/** Whichever replica does it. */
const checkEvery = '55 minutes';

interface KeepSealedWork extends SealDueWork {
  readonly archive: UsageArchive;
  readonly log: Log;
}

export function keepSealed(work: KeepSealedWork, nowMs: () => number = monotonicMs): (turn: Turn) => Promise<void> {
  let nextAtMs = 0;
  return async ({ inCharge, signal }) => {
    if (!inCharge || nowMs() < nextAtMs) return;
    const done = await sealDue({ ...work, signal });
    if (done === undefined) return;
    const { log } = work;
    for (const { month, hash } of done.sealed) log.info({ month, hash }, 'month sealed');
    if (done.waiting !== undefined) log.warn(done.waiting, 'a month cannot be sealed yet');
    const verified = await verifyNext(work, signal);
    if (verified !== undefined && verified.problems.length > 0)
      log.error({ ...verified }, 'a month is not what was sealed; see gateway verify');
    // A turn that fails is taken again.
    nextAtMs = nowMs() + turnEveryMs;
  };
}

/** Undefined if none is due. */
async function verifyNext({ sql, archive }: KeepSealedWork, signal: AbortSignal): Promise<VerifiedMonth | undefined> {
  const [next] = await sql<{ month: string }[]>`
    SELECT month::text FROM sealed_months LEFT JOIN seal_checks USING (month)
    WHERE finished_at IS NOT NULL AND NOT EXISTS (
      SELECT FROM seal_checks WHERE checked_at > clock_timestamp() - ${checkEvery}::interval
    )
    ORDER BY checked_at NULLS FIRST, month LIMIT 1`;
  if (next === undefined) return undefined;
  const verified = await verifyMonth({ sql, archive, signal, readsFiles: false }, next.month.slice(0, 7));
  if (verified === undefined) return undefined;
  await sql`
    INSERT INTO seal_checks (month, checked_at, problems)
    VALUES (${next.month}, clock_timestamp(), ${[...verified.problems]}::text[])
    ON CONFLICT (month) DO UPDATE SET checked_at = excluded.checked_at, problems = excluded.problems`;
  return verified;
}
