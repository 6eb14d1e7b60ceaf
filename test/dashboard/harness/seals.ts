/** Sealed months as the page for operators lists them: one that was compared, and one that is not what was sealed. */
import type { Harness } from '../../harness.ts';

const brokenSeal = 'The events up to request 0199a0b2 are not what was sealed: 48,211 rows, but not the same.';

/** Before every request, so that nothing is refused. */
const firstId = '00000000-0000-0000-0000-000000000000';

const months = [
  { month: '2026-08-01', lines: 12, events: 1_204_331, hash: '3b'.repeat(32), problems: [] },
  { month: '2026-09-01', lines: 17, events: 1_388_020, hash: 'a7'.repeat(32), problems: [brokenSeal] },
  { month: '2026-10-01', lines: 9, events: 1_512_776, hash: '5c'.repeat(32), problems: undefined },
];

export async function seedSeals({ database: { sql } }: Harness): Promise<void> {
  for (const { month, lines, events, hash, problems } of months) {
    await sql`
      INSERT INTO sealed_months (month, from_id, until_id, format, columns, lines, events, previous_hash, hash, finished_at)
      VALUES (${month}, ${firstId}, ${firstId}, 1, '{}', ${lines}, ${events}, '', ${hash},
        ${month}::timestamptz + interval '1 month 7 days')`;
    if (problems !== undefined) await sql`INSERT INTO seal_checks VALUES (${month}, now(), ${problems})`;
  }
}
