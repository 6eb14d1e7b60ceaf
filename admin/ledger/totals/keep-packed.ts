/** The worker's step: once a day, it stores the totals of days that are over as lists. */
import type { Sql } from 'postgres';
import { whileLocked } from '../../database/advisory-locks.ts';
import { totalsAsRowsDays } from '../../database/tables/usage-totals.ts';
import { listMonths } from '../months.ts';
import type { Turn } from '../turn.ts';
import { type Packing, packTotals } from './pack-totals.ts';

/** Lists of fewer would take nearly as much as rows. */
const totalsMin = 100;
const dayMs = 86_400_000;

interface DuePacking extends Packing {
  readonly signal?: AbortSignal;
  readonly now?: Date;
}

/** False if it has to be tried again: another program packs, or archives a month. */
export async function packDue(
  sql: Sql,
  { now = new Date(), min = totalsMin, ...packing }: DuePacking = {},
): Promise<boolean> {
  // Version 0.1.0, which reads no lists, may still work with a database that is not compact.
  const [settings] = await sql<{ compact: boolean }[]>`SELECT compact FROM ledger_settings`;
  if (settings?.compact !== true) return true;
  const before = new Date(startOfDay(now).getTime() - totalsAsRowsDays * dayMs);
  const done = await whileLocked(sql, 'archive', async () => {
    for (const { month, start, end } of await listMonths(sql, ['usage_events'])) {
      if (start >= before) continue;
      await packTotals(sql, { month, end: end < before ? end : before }, { min, ...packing });
    }
    return true;
  });
  return done ?? false;
}

export function keepPacked(sql: Sql): (turn: Turn) => Promise<void> {
  let packedOn: number | undefined;
  return async ({ inCharge, signal }) => {
    const now = new Date();
    const today = startOfDay(now).getTime();
    if (!inCharge || today === packedOn) return;
    if (await packDue(sql, { signal, now })) packedOn = today;
  };
}

function startOfDay(time: Date): Date {
  return new Date(Math.floor(time.getTime() / dayMs) * dayMs);
}
