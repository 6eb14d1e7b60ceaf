/** GET /api/errors: which requests of the account failed, by day, code and key. */
import { Type } from '@sinclair/typebox';
import { and, eq, gte, isNull, or, sql } from 'drizzle-orm';
import { Elysia } from 'elysia';
import { readErrors } from '../../../shared/health/request-errors.ts';
import { authorized, type KeyScope } from '../../auth/authorize.ts';
import { apiKeys } from '../../database/tables/api-keys.ts';
import { fromRedis, redisUnreadable } from '../../database/unavailable.ts';
import { heavyRefusals } from '../../heavy-work/heavy-work.ts';
import { keysOfAccountMax } from '../../keys/create-key.ts';
import type { AdminServices } from '../../services.ts';
import { describe } from '../docs/describe.ts';
import { proxyKey } from '../fields/example-values.ts';
import { count, day, integer, text } from '../fields/schemas.ts';

const days = 30;
const dayMs = 86_400_000;

const errorsSchema = Type.Object(
  {
    from: day('The first day counted, in UTC.', '2030-01-02'),
    to: day('Today, in UTC.', '2030-01-31'),
    total: count('How many requests failed.', 12),
    errors: Type.Array(
      Type.Object({
        day: day('The day of the requests, in UTC.', '2030-01-31'),
        code: text('The `error.code` of the response.', 'rate_limit_exceeded'),
        keyId: integer('The id of the proxy key.', proxyKey.id),
        count: count('How many requests.', 12),
      }),
      { description: 'The newest day first, then by count.' },
    ),
  },
  { title: 'ErrorCounts' },
);

const docs = describe({
  id: 'getErrors',
  permission: 'usage:read',
  summary: 'Failed requests',
  description:
    'Counts the requests of today and the 29 days before that ended with an error, including in mid-stream. Proxies add their counts ' +
    'every two seconds; one that is killed loses what it has not added. Requests with an unknown key are not counted. ' +
    `At most ${keysOfAccountMax} keys are read: existing ones first, then the most recently deleted.`,
  tag: 'Money',
  response: { description: 'The counts.', schema: errorsSchema },
  errors: [...heavyRefusals(), redisUnreadable(undefined)],
});

export function errorsRoute(services: AdminServices) {
  const { database, heavyWork, redis } = services;
  const read = async ({ accountId, keysOf }: { accountId: number } & KeyScope): Promise<typeof errorsSchema.static> => {
    const now = Date.now();
    const [from = '', to = ''] = [now - (days - 1) * dayMs, now].map((at) => new Date(at).toISOString().slice(0, 10));
    const keys = await database.db
      .select({ id: apiKeys.id, hash: sql<string>`coalesce(${apiKeys.firstHash}, ${apiKeys.hash})` })
      .from(apiKeys)
      .where(
        and(
          eq(apiKeys.accountId, accountId),
          eq(apiKeys.kind, 'proxy'),
          keysOf === undefined ? undefined : eq(apiKeys.createdBy, keysOf),
          or(isNull(apiKeys.deletedAt), gte(apiKeys.deletedAt, new Date(from))),
        ),
      )
      // Those that exist first, then those that were deleted last.
      .orderBy(sql`${apiKeys.deletedAt} DESC NULLS FIRST`)
      .limit(keysOfAccountMax);
    const ids = new Map(keys.map(({ id, hash }) => [hash, id]));
    const found = await fromRedis(() => readErrors(redis, [...ids.keys()], { from, to }));
    const errors = found
      .map(({ keyHash, ...counted }) => ({ ...counted, keyId: ids.get(keyHash) ?? 0 }))
      .sort((one, other) => other.day.localeCompare(one.day) || other.count - one.count);
    return { from, to, total: errors.reduce((sum, one) => sum + one.count, 0), errors };
  };
  return new Elysia()
    .use(authorized(services))
    .get(
      '/api/errors',
      ({ caller, request: { signal } }) =>
        heavyWork.run({ kind: 'query', accountId: caller.accountId, signal }, () => read(caller)),
      docs,
    );
}
