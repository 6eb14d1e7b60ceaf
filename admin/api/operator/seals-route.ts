/** /api/operator/seals: the sealed months of the ledger, with the hashes that prove them. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { authorized } from '../../auth/authorize.ts';
import { listSeals, renderSeal } from '../../ledger/seals/list-seals.ts';
import type { AdminServices } from '../../services.ts';
import { describe } from '../docs/describe.ts';
import { count, nullable, text, timestamp } from '../fields/schemas.ts';

const sealsSchema = Type.Object(
  {
    months: Type.Array(
      Type.Object({
        month: text('The month, in UTC.', '2030-01'),
        hash: text(
          'The SHA-256 of all rows of the month and of the hash of the month before, in hexadecimal. `gateway verify` ' +
            'proves a month against it.',
          '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        ),
        lines: count('How many lines the month has, without charges that are booked as usage events alone.', 1_204),
        events: count('How many usage events the month has.', 1_048_576),
        sealedAt: timestamp(
          'When the month was sealed. Nothing has been booked in it since.',
          '2030-02-08T00:10:00.000Z',
        ),
        checkedAt: nullable(
          timestamp(
            'When the month was last compared with its seal; null if it has not been yet.',
            '2030-03-01T12:00:00.000Z',
          ),
        ),
        problems: Type.Array(text('What differs, for people.'), {
          description: 'What was found then; empty if the month is what was sealed.',
          example: [],
        }),
      }),
      { description: 'The months that are sealed, newest first.' },
    ),
  },
  { title: 'SealedMonths' },
);

const docs = describe({
  tag: 'Operators',
  permission: 'operator',
  id: 'listSeals',
  summary: 'Sealed months',
  description:
    'A month of the ledger is sealed a week after its end: it takes no more rows, and a hash proves those that it has. One ' +
    'sealed month is compared with its seal each hour. Keep the hashes elsewhere: then no change to a month goes unnoticed.',
  response: { description: 'The months.', schema: sealsSchema },
});

export function sealsRoute(services: AdminServices) {
  const { sql } = services.database;
  return new Elysia()
    .use(authorized(services))
    .get(
      '/api/operator/seals',
      async (): Promise<typeof sealsSchema.static> => ({ months: (await listSeals(sql)).map(renderSeal) }),
      docs,
    );
}
