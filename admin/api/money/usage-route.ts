/** /api/usage: the usage of the account, summed by day, hour, model, key, project and member, as JSON or as a CSV file. */
import { Elysia } from 'elysia';
import { formatUsd } from '../../../shared/money.ts';
import { authorized, type KeyScope } from '../../auth/authorize.ts';
import { checkQuery } from '../../http/request/check-query.ts';
import { readUsage, type UsageQuery, type UsageSum } from '../../ledger/queries/read-usage.ts';
import type { AdminServices } from '../../services.ts';
import { exportUsageDocs, getUsageDocs, type usageSchema } from './usage-docs.ts';
import { writeUsage } from './usage-file.ts';
import { readUsageNames, type UsageNames } from './usage-names.ts';
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
      return { parsed, sums, names: await readUsageNames(database.db, sums) };
    });
  };
  return new Elysia({ prefix: '/api/usage' })
    .use(authorized(services))
    .get(
      '',
      async (context) => {
        const { parsed, sums, names } = await read(context);
        return renderUsage(parsed, sums, names);
      },
      getUsageDocs,
    )
    .get(
      '/export',
      async (context) => {
        const { sums, names } = await read(context);
        return new Response(writeUsage(sums, names), { headers: fileHeaders });
      },
      exportUsageDocs,
    );
}

function renderUsage(
  { from, to, timeZone, groupBy }: UsageQuery,
  sums: readonly UsageSum[],
  names: UsageNames,
): typeof usageSchema.static {
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    timeZone,
    usage: sums.map(({ day, hour, model, keyId, projectId, memberId, costNano, ...counts }) => ({
      ...(day !== null && { day }),
      ...(hour !== null && { hour: hour.toISOString() }),
      ...(model !== null && { model }),
      ...(keyId !== null && { keyId, keyName: nameOf(keyId, names.keys) }),
      ...(groupBy.has('project') && { projectId, projectName: nameOf(projectId, names.projects) }),
      ...(groupBy.has('member') && { memberId, memberEmail: nameOf(memberId, names.members) }),
      ...counts,
      cost: formatUsd(costNano),
    })),
  };
}

const nameOf = (id: number | null, names: ReadonlyMap<number, string>) =>
  id === null ? null : (names.get(id) ?? null);
