/** Sums of usage: their schema and documentation. */
import { Type } from '@sinclair/typebox';
import { parseUsd } from '../../../shared/money.ts';
import { noUnits } from '../../../shared/usage/billable-units.ts';
import { heavyRefusals } from '../../heavy-work/heavy-work.ts';
import { describe } from '../docs/describe.ts';
import { customer, model, project } from '../fields/example-values.ts';
import { usdText } from '../fields/money.ts';
import { count, day, integer, nullable, text, timestamp } from '../fields/schemas.ts';
import { unitFields } from './requests-schemas.ts';
import { writeUsage } from './usage-file.ts';
import { usageQuery } from './usage-query.ts';

export const usageSchema = Type.Object(
  {
    from: timestamp('The start of the range, inclusive.', '2029-12-31T21:00:00.000Z'),
    to: timestamp('The end of the range, exclusive.', '2030-01-01T21:00:00.000Z'),
    timeZone: text('The IANA time zone of `day`.', 'Europe/Moscow'),
    usage: Type.Array(
      Type.Object({
        day: Type.Optional(day('A day of `timeZone`. Only if grouped by `day`.', '2030-01-01')),
        hour: Type.Optional(timestamp('The start of an hour of `timeZone`. Only if grouped by `hour`.')),
        model: Type.Optional(text('The id of the model. Only if grouped by `model`.', model)),
        keyId: Type.Optional(integer('The id of the proxy key. Only if grouped by `key`.')),
        keyName: Type.Optional(
          nullable(text('The name of the key; null if the key is no longer known. Only if grouped by `key`.')),
        ),
        projectId: Type.Optional(
          nullable(integer('The id of the project; null for usage in none. Only if grouped by `project`.', project.id)),
        ),
        projectName: Type.Optional(
          nullable(
            text('The name of the project; null for usage in none. Only if grouped by `project`.', project.name),
          ),
        ),
        memberId: Type.Optional(
          nullable(
            integer(
              'The id of the user whose keys they were; null for keys that a billing key created. Only if grouped by `member`.',
              customer.userId,
            ),
          ),
        ),
        memberEmail: Type.Optional(
          nullable(
            text(
              'Their e-mail address; null if there is none, or it was deleted. Only if grouped by `member`.',
              customer.email,
            ),
          ),
        ),
        user: Type.Optional(
          nullable(
            text('What the requests named as `user`; null for those without. Only if grouped by `user`.', 'u-17'),
          ),
        ),
        metadata: Type.Optional(
          Type.Unsafe<Record<string, string | null>>({
            type: 'object',
            additionalProperties: { type: 'string', nullable: true },
            description:
              'The name that usage is grouped by, and what the requests have under it in their `metadata`; null for those without.',
            example: { team: 'search' },
          }),
        ),
        requests: count('How many requests were charged.', 1),
        ...unitFields,
        cost: usdText('The total charge for them.', '0.00002376'),
      }),
      {
        description:
          'The sums by group, in the order of days, hours, models, keys, projects, members and values. Groups without usage are left out.',
      },
    ),
  },
  { title: 'Usage' },
);

export const getUsageDocs = describe({
  id: 'getUsage',
  permission: 'usage:read',
  summary: 'Usage by day, hour, model, key, project, member and dimension',
  description:
    'Adds up usage and cost of the account by any of day, hour, model, key, project and member, and by one of its dimensions. A charge ' +
    'counts in the quarter of an hour in which it was made, and days are those of `timeZone`. Without `from` and `to`, the range is today and the 29 days ' +
    'before. The requests behind a sum are those of `GET /api/requests?replaced=true` with the same range, model, key, project, member and ' +
    'value: their `booked` add up to `cost`.',
  tag: 'Money',
  query: usageQuery,
  response: { description: 'The sums.', schema: usageSchema },
  errors: heavyRefusals(),
});

export const exportUsageDocs = describe({
  id: 'exportUsage',
  permission: 'usage:read',
  summary: 'Usage as CSV',
  description:
    'The response of `GET /api/usage` to the same query, as a file: RFC 4180 in UTF-8, with exact decimal amounts in USD. ' +
    'Columns of other groupings are empty.',
  tag: 'Money',
  query: usageQuery,
  response: {
    description: 'The sums.',
    mediaType: 'text/csv',
    schema: Type.String({ description: 'A header line and a line for each group, as RFC 4180.' }),
    example: writeUsage(
      [
        {
          day: '2030-01-01',
          hour: null,
          model,
          ...{ keyId: null, projectId: null, memberId: null, value: null },
          requests: 1,
          ...{ ...noUnits, promptTokens: 12, completionTokens: 30 },
          costNano: parseUsd('0.00002376'),
        },
      ],
      { keys: new Map(), projects: new Map(), members: new Map() },
    ),
  },
  errors: heavyRefusals(),
});
