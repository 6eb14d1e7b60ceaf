/** /api/usage: the usage of the account, summed by day, hour, model and key, as JSON or as a CSV file. */
import { inArray } from 'drizzle-orm';
import { Elysia } from 'elysia';
import { formatUsd } from '../../../shared/money.ts';
import { authorized, type KeyScope } from '../../auth/authorize.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import { apiKeys } from '../../database/tables/api-keys.ts';
import { checkQuery } from '../../http/request/check-query.ts';
import { readUsage, type UsageQuery, type UsageSum } from '../../ledger/queries/read-usage.ts';
import type { AdminServices } from '../../services.ts';
import { exportUsageDocs, getUsageDocs, type usageSchema } from './usage-docs.ts';
import { writeUsage } from './usage-file.ts';
import { parseUsageQuery, refuseTooMany, usageQuery } from './usage-query.ts';

const fileHeaders = {
  'content-type': 'text/csv; charset=utf-8',
  'content-disposition': 'attachment; filename="usage.csv"',
};

interface UsageRequest {
  readonly caller: { readonly accountId: number } & KeyScope;
  readonly query: Record<string, string>;
  readonly request: Request;
}

export function usageRoute(services: AdminServices) {
  const { database, heavyWork } = services;
  const read = async ({ caller: { accountId, keysOf }, query, request }: UsageRequest) => {
    const parsed = parseUsageQuery({ accountId, keysOf }, checkQuery(usageQuery, query), new Date());
    return heavyWork.run({ kind: 'query', accountId, signal: request.signal }, async () => {
      const sums = await readUsage(database.sql, parsed);
      refuseTooMany(sums.length);
      return { parsed, sums, keyNames: await readKeyNames(database.db, sums) };
    });
  };
  return new Elysia({ prefix: '/api/usage' })
    .use(authorized(services))
    .get(
      '',
      async (context) => {
        const { parsed, sums, keyNames } = await read(context);
        return renderUsage(parsed, sums, keyNames);
      },
      getUsageDocs,
    )
    .get(
      '/export',
      async (context) => {
        const { sums, keyNames } = await read(context);
        return new Response(writeUsage(sums, keyNames), { headers: fileHeaders });
      },
      exportUsageDocs,
    );
}

/** Deleted ones as well: they have usage. */
async function readKeyNames(db: DbOrTransaction, sums: readonly UsageSum[]): Promise<ReadonlyMap<number, string>> {
  const ids = new Set(sums.flatMap(({ keyId }) => keyId ?? []));
  if (ids.size === 0) return new Map();
  const keys = await db
    .select({ id: apiKeys.id, name: apiKeys.name })
    .from(apiKeys)
    .where(inArray(apiKeys.id, [...ids]));
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
