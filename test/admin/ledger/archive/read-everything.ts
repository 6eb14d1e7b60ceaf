/** Everything that customers and operators read of charges, in pages of generated sizes and with generated filters. */

import type { Sql } from 'postgres';
import { readUsageLines } from '../../../../admin/documents/services/usage-lines.ts';
import type { LinePosition } from '../../../../admin/http/request/page-cursor.ts';
import { readScopeSpend } from '../../../../admin/keys/hydrate-spend.ts';
import { readKeyUsage } from '../../../../admin/keys/read-key-usage.ts';
import type { Ledger } from '../../../../admin/ledger/ledger.ts';
import {
  listRequests,
  type RequestFilter,
  type RequestPosition,
} from '../../../../admin/ledger/queries/list-requests.ts';
import {
  listStatement,
  listTransactions,
  walkTransactions,
} from '../../../../admin/ledger/queries/list-transactions.ts';
import { readReceipt } from '../../../../admin/ledger/queries/read-receipt.ts';
import { readUsage } from '../../../../admin/ledger/queries/usage/read-usage.ts';
import { type UsageQuery, usageGroupings } from '../../../../admin/ledger/queries/usage/usage-query.ts';
import { rubKopecks } from '../../../../shared/money.ts';
import type { SeededRandom } from '../../../harness/seeded-random.ts';

export interface Booked {
  readonly accountIds: readonly number[];
  readonly requestIds: readonly string[];
  readonly first: Date;
  readonly last: Date;
  /** Of the first account's dimension `user`. */
  readonly dimensionId: number;
  /** Of the first account: its first key was moved there. */
  readonly projectId: number;
}

interface Read extends Ledger {
  readonly sql: Sql;
}

/** The same questions for the same seed. */
export async function readEverything(ledger: Read, booked: Booked, random: SeededRandom): Promise<unknown> {
  const found: unknown[] = [];
  for (const accountId of booked.accountIds) {
    const all = { accountId, type: undefined, from: undefined, to: undefined };
    found.push(await Array.fromAsync(walkTransactions(ledger, all, random.integer(3, 40))));
    found.push(await readStatement(ledger, all, random.integer(2, 30)));
    for (let asked = 0; asked < 8; asked += 1) {
      const filter = {
        ...all,
        ...someTime(booked, random),
        type: random.pickIfAny([undefined, 'usage', 'payment'] as const),
      };
      const page = { limit: random.integer(1, 30), offset: random.pick([0, 0, random.integer(1, 80)]) };
      found.push(await listTransactions(ledger, filter, page), (await listStatement(ledger, filter, page)).lines);
      found.push(await listRequests(ledger, someRequests(booked, accountId, random), random.integer(1, 30)));
    }
    for (let asked = 0; asked < 12; asked += 1) found.push(await readSums(ledger, booked, { accountId, random }));
    for (const replacedToo of [false, true]) found.push(await walkRequests(ledger, accountId, { replacedToo, random }));
  }
  for (const requestId of booked.requestIds) {
    const receipt = await readReceipt(ledger, { requestId });
    const accountId = receipt?.event.accountId ?? 0;
    found.push(receipt, await readReceipt(ledger, { requestId, accountId }));
    if ((await readReceipt(ledger, { requestId, accountId: accountId + 1 })) !== undefined) throw new Error(requestId);
  }
  return found;
}

async function readStatement(ledger: Ledger, filter: Parameters<typeof listStatement>[1], limit: number) {
  const lines: unknown[] = [];
  let behind: LinePosition | undefined;
  do {
    const page = await listStatement(ledger, filter, { limit, behind });
    lines.push(...page.lines);
    behind = page.end;
  } while (behind !== undefined);
  return lines;
}

/** Charts, what limits go by, when keys were last used, and the annex of an act. */
async function readSums(
  { db, sql }: Read,
  { first, last }: Booked,
  { accountId, random }: { readonly accountId: number; readonly random: SeededRandom },
): Promise<unknown[]> {
  const quarterMs = 900_000;
  const someQuarter = () => Math.floor(random.integer(first.getTime(), last.getTime()) / quarterMs) * quarterMs;
  const [from = 0, to = 0] = [someQuarter(), someQuarter()].sort((one, other) => one - other);
  const query: UsageQuery = {
    ...{ accountId, from: new Date(from), to: new Date(to + quarterMs), rowsMax: 100_000 },
    timeZone: random.pick(['UTC', 'Europe/Moscow', 'Asia/Kathmandu', 'America/St_Johns']),
    groupBy: new Set(usageGroupings.filter(() => random.chance(0.4))),
  };
  // Otherwise days would be read as they were before.
  await sql`DELETE FROM usage_days`;
  // Nobody asks for the windows of a month that is old enough to be archived.
  const at = new Date(last.getTime() + random.integer(-40, 40) * 86_400_000);
  const months = ['2026-01-01', '2026-02-01', '2026-03-01', '2026-04-01'].slice(random.integer(0, 3));
  return [
    await readUsage(sql, query),
    await readUsage(sql, query, { totalsMin: 1 }),
    await readScopeSpend(sql, { level: random.pick(['key', 'organization']), accountId, id: random.integer(1, 3) }, at),
    await readKeyUsage(db, [1, 2, 3], query.timeZone),
    await readUsageLines(db, {
      ...{ accountId, after: undefined, kopecks: rubKopecks(100_000n), billingTimeZone: query.timeZone },
      months: { from: months[0] ?? '', to: random.pick(months) },
    }),
  ];
}

const anyRequest = { keyId: undefined, model: undefined, from: undefined, to: undefined, behind: undefined };

async function walkRequests(
  ledger: Ledger,
  accountId: number,
  { replacedToo, random }: { replacedToo: boolean; random: SeededRandom },
) {
  const listed: unknown[] = [];
  const limit = random.integer(3, 30);
  let behind: RequestPosition | undefined;
  for (;;) {
    const page = await listRequests(ledger, { accountId, ...anyRequest, behind, replacedToo }, limit);
    listed.push(...page);
    if (page.length < limit) return listed;
    behind = page.at(-1)?.event;
  }
}

function someRequests(booked: Booked, accountId: number, random: SeededRandom): RequestFilter {
  const { dimensionId, projectId } = booked;
  return {
    ...{ accountId, behind: undefined, ...someTime(booked, random), replacedToo: random.chance(0.5) },
    model: random.pickIfAny([undefined, 'm', 'other']),
    keyId: random.pickIfAny([undefined, undefined, 1, 2, 3, 4]),
    ...(random.chance(0.3) && { projectId }),
    ...(random.chance(0.4) && {
      dimension: { dimensionId, value: random.pickIfAny([undefined, 'user 1', 'user 3', 'nobody']) },
    }),
  };
}

function someTime({ first, last }: Booked, random: SeededRandom): { from: Date | undefined; to: Date | undefined } {
  const at = () => new Date(random.integer(first.getTime() - 1_000, last.getTime() + 1_000));
  const [one, other] = [at(), at()].sort((a, b) => a.getTime() - b.getTime());
  return { from: random.chance(0.5) ? one : undefined, to: random.chance(0.5) ? other : undefined };
}
