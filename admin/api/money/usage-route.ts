/** /api/usage: the usage of the account, summed by day, hour, model and key, as JSON or as a CSV file. */
import { eq } from 'drizzle-orm';
import { Elysia } from 'elysia';
import { checkQuery } from '../../../shared/http/check-query.ts';
import { formatUsd } from '../../../shared/money.ts';
import { apiKeys } from '../../../shared/tables/api-keys.ts';
import { requireUser } from '../../auth/require-user.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import { readUsage, type UsageQuery, type UsageSum } from '../../ledger/queries/read-usage.ts';
import type { AdminServices } from '../../services.ts';
import { exportUsageDocs, getUsageDocs, type usageSchema } from './usage-docs.ts';
import { writeUsage } from './usage-file.ts';
import { parseUsageQuery, refuseTooMany, usageQuery } from './usage-query.ts';

const fileHeaders = {
  'content-type': 'text/csv; charset=utf-8',
  'content-disposition': 'attachment; filename="usage.csv"',
};

export function usageRoute(services: AdminServices) {
  const { db, sql } = services.database;
  const read = async (accountId: number, query: Record<string, string>) => {
    const asked = parseUsageQuery(accountId, checkQuery(usageQuery, query), new Date());
    const sums = await readUsage(sql, asked);
    refuseTooMany(sums.length);
    return { asked, sums };
  };
  return new Elysia({ prefix: '/api/usage' })
    .use(requireUser(services))
    .get(
      '',
      async ({ caller, query }) => {
        const { asked, sums } = await read(caller.accountId, query);
        const keyNames = asked.groupBy.has('key') ? await readKeyNames(db, caller.accountId) : new Map();
        return renderUsage(asked, sums, keyNames);
      },
      getUsageDocs,
    )
    .get(
      '/export',
      async ({ caller, query }) => {
        const { sums } = await read(caller.accountId, query);
        return new Response(writeUsage(sums, await readKeyNames(db, caller.accountId)), { headers: fileHeaders });
      },
      exportUsageDocs,
    );
}

/** Deleted ones as well: they have usage. */
async function readKeyNames(db: DbOrTransaction, accountId: number): Promise<ReadonlyMap<number, string>> {
  const keys = await db
    .select({ id: apiKeys.id, name: apiKeys.name })
    .from(apiKeys)
    .where(eq(apiKeys.accountId, accountId));
  return new Map(keys.map(({ id, name }) => [id, name]));
}

function renderUsage(
  { from, to, timeZone }: UsageQuery,
  sums: readonly UsageSum[],
  keyNames: ReadonlyMap<number, string>,
): typeof usageSchema.static {
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    timeZone,
    usage: sums.map(({ day, hour, model, keyId, costNano, ...counts }) => ({
      ...(day !== null && { day }),
      ...(hour !== null && { hour: hour.toISOString() }),
      ...(model !== null && { model }),
      ...(keyId !== null && { keyId, keyName: keyNames.get(keyId) ?? null }),
      ...counts,
      cost: formatUsd(costNano),
    })),
  };
}
