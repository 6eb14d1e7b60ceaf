/** /api/usage: the usage of the account, summed by day, hour, model, key, project, member and dimension, as JSON or as a CSV file. */
import { Elysia } from 'elysia';
import { formatUsd } from '../../../shared/money.ts';
import { type DimensionName, metadataNameOf } from '../../../shared/usage/dimension-names.ts';
import { authorized, type KeyScope } from '../../auth/authorize.ts';
import { checkQuery } from '../../http/request/check-query.ts';
import { readUsage } from '../../ledger/queries/usage/read-usage.ts';
import type { UsageSum } from '../../ledger/queries/usage/usage-query.ts';
import type { AdminServices } from '../../services.ts';
import { requireDimension } from './dimension-filter.ts';
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
      const { dimensionName: name, ...rest } = parsed;
      const dimension = name && (await requireDimension(database.db, { accountId, name, param: 'groupBy' }));
      const sums = await readUsage(database.sql, { ...rest, dimension });
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
        const { parsed, sums, names } = await read(context);
        return new Response(writeUsage(sums, names, parsed.dimensionName), { headers: fileHeaders });
      },
      exportUsageDocs,
    );
}

function renderUsage(
  { from, to, timeZone, groupBy, dimensionName }: ReturnType<typeof parseUsageQuery>,
  sums: readonly UsageSum[],
  names: UsageNames,
): typeof usageSchema.static {
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    timeZone,
    usage: sums.map(({ day, hour, model, keyId, projectId, memberId, value, costNano, ...counts }) => ({
      ...(day !== null && { day }),
      ...(hour !== null && { hour: hour.toISOString() }),
      ...(model !== null && { model }),
      ...(keyId !== null && { keyId, keyName: nameOf(keyId, names.keys) }),
      ...(groupBy.has('project') && { projectId, projectName: nameOf(projectId, names.projects) }),
      ...(groupBy.has('member') && { memberId, memberEmail: nameOf(memberId, names.members) }),
      ...(dimensionName !== undefined && renderValue(dimensionName, value)),
      ...counts,
      cost: formatUsd(costNano),
    })),
  };
}

/** As the request had it. */
function renderValue(name: DimensionName, value: string | null) {
  const ofMetadata = metadataNameOf(name);
  return ofMetadata === undefined ? { user: value } : { metadata: { [ofMetadata]: value } };
}

const nameOf = (id: number | null, names: ReadonlyMap<number, string>) =>
  id === null ? null : (names.get(id) ?? null);
