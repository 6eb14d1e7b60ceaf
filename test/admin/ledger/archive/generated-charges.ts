/** A ledger of January to June 2026, and charges in it that were generated. */
import { makePartitions } from '../../../../admin/database/partitions.ts';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import type { Charge } from '../../../../admin/ledger/charges/read-usage-entry.ts';
import type { SeededRandom } from '../../../harness/seeded-random.ts';
import { detailOf } from '../../../harness/wallet/charge-detail.ts';
import { type bookings, chargeOf, openLedger, type TestLedger } from '../ledger.ts';
import { makePrice, payPast } from '../past-charges.ts';
import type { Booked } from './read-everything.ts';

export const january = new Date('2026-01-10T00:00:00Z');
const february = new Date('2026-02-01T00:00:00Z');
export const june = new Date('2026-06-15T00:00:00Z');
const hourMs = 3_600_000;

export async function openMonths(options: (typeof bookings)[number][1]): Promise<TestLedger> {
  const ledger = await openLedger(options);
  // January to March, then April to June.
  for (const at of [january, new Date('2026-04-10T00:00:00Z')]) await makePartitions(ledger.sql, at);
  return ledger;
}

/** Of January to June: charges of one instant, estimates that are corrected in the next month, payments in between. */
export async function bookGenerated(ledger: TestLedger, random: SeededRandom, count: number): Promise<Booked> {
  const [first, last] = [new Date('2026-01-03T00:00:00Z'), new Date('2026-06-20T00:00:00Z')];
  const accountIds = [await ledger.openAccount(), await ledger.openAccount(), await ledger.openAccount()];
  const priceVersion = await makePrice(ledger);
  const [dimension] = await ledger.sql<{ id: string }[]>`
    INSERT INTO dimensions (account_id, name, active) VALUES (${accountIds[0] ?? 0}, 'user', true) RETURNING id`;
  await ledger.sql`
    INSERT INTO api_keys (id, account_id, kind, name, prefix, hash) OVERRIDING SYSTEM VALUE
    SELECT id, ${accountIds[0] ?? 0}, 'proxy', 'key', '', id::text FROM generate_series(1, 3) AS id`;
  const [project] = await ledger.sql<{ id: string }[]>`
    INSERT INTO projects (account_id, name) VALUES (${accountIds[0] ?? 0}, 'search') RETURNING id`;
  // The first key was moved into the project.
  await ledger.sql`
    INSERT INTO key_assignments (id, key_id, project_id) OVERRIDING SYSTEM VALUE VALUES (101, 1, ${project?.id ?? 0})`;
  const numbered = new Map<number, number>();
  const spent = new Map<number, bigint>();
  const at = () => {
    const border = new Date(Date.UTC(2026, random.integer(1, 5))).getTime() + random.integer(-2_000, 2_000);
    return new Date(random.chance(0.3) ? border : random.integer(first.getTime(), last.getTime()));
  };
  const times = Array.from({ length: count }, at).sort((one, other) => one.getTime() - other.getTime());
  const finals: { at: Date; charge: Charge }[] = [];
  const requestIds: string[] = [];
  const book = async (charge: Charge) => {
    const walletSeq = (numbered.get(charge.accountId) ?? 0) + 1;
    const walletSpentNano = (spent.get(charge.accountId) ?? 0n) + charge.costNano;
    numbered.set(charge.accountId, walletSeq);
    spent.set(charge.accountId, walletSpentNano);
    await applyCharges(ledger.sql, [{ ...charge, walletSeq, walletSpentNano }]);
  };
  let before = times[0] ?? first;
  for (const time of times) {
    while (finals[0] !== undefined && finals[0].at < time) await book(finals.shift()?.charge as Charge);
    const chargedAt = random.chance(0.2) ? before : time;
    before = chargedAt;
    const isFirst = requestIds.length === 0;
    const accountId = isFirst ? (accountIds[0] ?? 0) : random.pick(accountIds);
    // The third, of the first account, is used in no month that is left.
    const keyId = isFirst ? 3 : random.integer(1, accountId === accountIds[0] && chargedAt < february ? 3 : 2);
    const charge = chargeOf(accountId, {
      requestId: Bun.randomUUIDv7('hex', new Date(chargedAt.getTime() - random.pick([0, 3, 40_000, -50]))),
      ...{ chargedAt, costNano: BigInt(random.integer(0, 900)) },
      keyId,
      assignmentId: keyId === 1 && accountId === accountIds[0] && random.chance(0.5) ? 101 : null,
      detail: detailOf({
        ...{ priceVersion, startedAtMs: chargedAt.getTime(), promptTokens: random.integer(0, 2 ** 31 - 1) },
        model: random.pick(['m', 'm', 'other']),
        estimated: random.chance(0.1),
        ...(random.chance(0.1) && { images: 2, variant: '1024x1024/high' }),
        dimensions: random.chance(0.5) ? { user: `user ${random.integer(0, 5)}` } : null,
      }),
    });
    requestIds.push(charge.requestId);
    if (random.chance(0.1))
      await payPast(ledger, { accountId, amountNano: BigInt(random.integer(1, 5_000)), at: chargedAt });
    if (random.chance(0.25)) {
      const finalAt = new Date(chargedAt.getTime() + random.pick([0, 1, 30_000, 26 * hourMs]));
      const final = { ...charge, chargedAt: finalAt, costNano: BigInt(random.integer(0, 900)) };
      finals.push({ at: finalAt, charge: final });
      finals.sort((one, other) => one.at.getTime() - other.at.getTime());
      await book({ ...charge, rank: 1 });
    } else await book(charge);
  }
  for (const { charge } of finals) await book(charge);
  return { accountIds, requestIds, first, last, dimensionId: Number(dimension?.id), projectId: Number(project?.id) };
}
