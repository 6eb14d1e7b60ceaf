/** Migration 0059 has payments queried of which something came back after a dispute, and no others. */
import { expect, test } from 'bun:test';
import { migrateDatabase } from '../../../admin/database/migrate.ts';
import { openFormerDatabase } from '../../harness/former-database.ts';

const nextWeek = new Date(Date.now() + 7 * 86_400_000);

interface FormerPayment {
  readonly isDisputed: boolean;
  readonly restored: number;
  /** Of 1,000. */
  readonly refunded: number;
  readonly nextAskAt: Date | null;
}

const drawn: FormerPayment[] = [true, false].flatMap((isDisputed) =>
  [0, 400].flatMap((restored) =>
    [0, 400, 1_000].flatMap((refunded) =>
      [null, nextWeek].map((nextAskAt) => ({ isDisputed, restored, refunded, nextAskAt })),
    ),
  ),
);

test('a disputed payment is queried once more after the migration if something of it has come back', async () => {
  const former = await openFormerDatabase('0059');
  const { sql } = former;
  try {
    await sql`INSERT INTO accounts DEFAULT VALUES`;
    const payments = drawn.map((payment, index) => ({ ...payment, id: Bun.randomUUIDv7(), transactionId: index + 1 }));
    for (const { id, isDisputed, restored, refunded, nextAskAt, transactionId } of payments) {
      await sql`
        INSERT INTO payments (id, account_id, method, status, currency, amount_minor, credit_nano, rub_per_usd, margin_ppm,
          rub_kopecks, refunded_minor, restored_minor, return_url, email, transaction_id, paid_at, expires_at, disputed_at,
          next_ask_at)
        VALUES (${id}, 1, 'stripe', ${refunded === 1_000 ? 'refunded' : 'succeeded'}, 'USD', 1000, 10000000000, 900000, 0,
          90000, ${refunded}, ${restored}, '', '', ${transactionId}, now(), now(), ${isDisputed ? new Date() : null},
          ${nextAskAt})`;
    }
    await migrateDatabase(former.url);
    const due = await sql<{ id: string }[]>`SELECT id FROM payments WHERE next_ask_at <= now() ORDER BY id`;
    const expected = payments.filter(
      ({ isDisputed, restored, refunded, nextAskAt }) =>
        isDisputed && restored > 0 && refunded < 1_000 && nextAskAt === null,
    );
    expect(expected).toHaveLength(2);
    expect(due.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    const planned = await sql`SELECT FROM payments WHERE next_ask_at = ${nextWeek}`;
    expect(planned).toHaveLength(drawn.length / 2);
  } finally {
    await former.close();
  }
});
