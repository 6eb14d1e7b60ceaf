/** GET /api/usage: the usage of the account, summed by day, model and key. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { checkQuery } from '../../../shared/http/check-query.ts';
import { formatUsd } from '../../../shared/money.ts';
import { noUnits } from '../../../shared/usage/billable-units.ts';
import { requireUser } from '../../auth/require-user.ts';
import { readUsage, type UsageQuery, type UsageSum } from '../../ledger/queries/read-usage.ts';
import type { AdminServices } from '../../services.ts';
import { describe } from '../docs/describe.ts';
import { usdText } from '../fields/money.ts';
import { count, integer, text, timestamp } from '../fields/schemas.ts';
import { unitFields } from './requests-schemas.ts';
import { parseUsageQuery, refuseTooMany, usageQuery } from './usage-query.ts';

const usageSchema = Type.Object({
  from: timestamp('The start of the range that was added up, inclusive.'),
  to: timestamp('The end of the range, exclusive.'),
  timeZone: text('The IANA time zone of `day`.'),
  usage: Type.Array(
    Type.Object({
      day: Type.Optional(
        Type.String({ format: 'date', description: 'A day of `timeZone`. Only if grouped by `day`.' }),
      ),
      model: Type.Optional(text('The id of the model. Only if grouped by `model`.')),
      keyId: Type.Optional(integer('The id of the proxy key. Only if grouped by `key`.')),
      requests: count('How many requests were charged.'),
      ...unitFields,
      cost: usdText('What was charged for them.'),
    }),
    { description: 'The sums by group, in the order of days, models and keys. Groups without usage are left out.' },
  ),
});

const docs = describe({
  id: 'getUsage',
  summary: 'Usage by day, model and key',
  description:
    'Adds up what the account used and paid, by any of day, model and key. A charge counts in the quarter of an hour in ' +
    'which it was made, and days are those of `timeZone`. Without `from` and `to`, the range is today and the 29 days ' +
    'before. For single requests, see `GET /api/requests`.',
  tag: 'Money',
  security: 'accessToken',
  query: usageQuery,
  answer: {
    status: 200,
    description: 'The sums.',
    schema: usageSchema,
    example: {
      from: '2029-12-31T21:00:00.000Z',
      to: '2030-01-01T21:00:00.000Z',
      timeZone: 'Europe/Moscow',
      usage: [
        {
          day: '2030-01-01',
          model: 'gpt-4o-mini',
          requests: 3,
          ...noUnits,
          promptTokens: 36,
          completionTokens: 90,
          cost: '0.00007128',
        },
      ],
    } satisfies typeof usageSchema.static,
  },
});

export function usageRoute(services: AdminServices) {
  const { sql } = services.database;
  return new Elysia().use(requireUser(services)).get(
    '/api/usage',
    async ({ caller, query }) => {
      const asked = await parseUsageQuery(sql, caller.accountId, checkQuery(usageQuery, query), new Date());
      const sums = await readUsage(sql, asked);
      refuseTooMany(sums.length);
      return renderUsage(asked, sums);
    },
    docs,
  );
}

function renderUsage({ from, to, timeZone }: UsageQuery, sums: readonly UsageSum[]): typeof usageSchema.static {
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    timeZone,
    usage: sums.map(({ day, model, keyId, costNano, ...counts }) => ({
      ...(day !== null && { day }),
      ...(model !== null && { model }),
      ...(keyId !== null && { keyId }),
      ...counts,
      cost: formatUsd(costNano),
    })),
  };
}
