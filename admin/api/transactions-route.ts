/** GET /api/transactions: every change of the caller's balance, newest first. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { checkQuery } from '../../shared/http/check-query.ts';
import { nanoUsd, toJsonNumber } from '../../shared/money.ts';
import { requireUser } from '../auth/require-user.ts';
import { describe } from '../docs/describe.ts';
import { parseInstant } from '../http/parse-instant.ts';
import { type LedgerLine, listTransactions } from '../ledger/list-transactions.ts';
import type { AdminServices } from '../services.ts';
import { oneOf, timestamp } from './schemas.ts';

const limitMax = 50;
/** Postgres walks over everything that is skipped; `to` reaches further back for nothing. */
const offsetMax = 1_000_000;

const type = oneOf(['usage', 'payment', 'refund'], 'usage, payment or refund');

const transactionsQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limitMax,
      default: limitMax,
      description: `a whole number from 1 to ${limitMax}`,
    }),
  ),
  offset: Type.Optional(
    Type.Integer({ minimum: 0, maximum: offsetMax, default: 0, description: `a whole number from 0 to ${offsetMax}` }),
  ),
  from: Type.Optional(Type.String({ description: 'the earliest moment, in ISO 8601 with a zone' })),
  to: Type.Optional(Type.String({ description: 'the moment before which to list, in ISO 8601 with a zone' })),
  type: Type.Optional(type),
});

const transactionSchema = Type.Object({
  id: Type.Integer(),
  amount: Type.Number({ description: 'USD; negative for deductions, positive for credits.' }),
  type,
  description: Type.String(),
  createdAt: timestamp,
  requestId: Type.Optional(
    Type.String({ format: 'uuid', description: 'For usage, the `x-request-id` of the request.' }),
  ),
  model: Type.Optional(Type.String({ description: 'For usage, the model.' })),
});

const docs = describe({
  id: 'listTransactions',
  summary: 'Transactions',
  description: 'Newest first. `from` is inclusive, `to` is not.',
  tag: 'Money',
  security: 'accessToken',
  query: transactionsQuery,
  answer: {
    status: 200,
    description: 'The transactions.',
    schema: Type.Object({ transactions: Type.Array(transactionSchema) }),
    example: {
      transactions: [
        {
          id: 12,
          amount: -0.000123,
          type: 'usage',
          description: 'gpt-4o-mini',
          createdAt: '2030-01-01T12:00:00.000Z',
          requestId: '01945b2e-7c1a-7d3e-8f10-2b3c4d5e6f70',
          model: 'gpt-4o-mini',
        },
        { id: 1, amount: 10, type: 'payment', description: 'Invoice 17', createdAt: '2030-01-01T09:00:00.000Z' },
      ],
    },
  },
});

export const transactionsRoute = (services: AdminServices) =>
  new Elysia().use(requireUser(services)).get(
    '/api/transactions',
    async ({ caller, query }) => {
      const { limit = limitMax, offset = 0, type, ...range } = checkQuery(transactionsQuery, query);
      const from = range.from === undefined ? undefined : parseInstant(range.from, 'from');
      const to = range.to === undefined ? undefined : parseInstant(range.to, 'to');
      const filter = { accountId: caller.accountId, type, from, to, limit, offset };
      const lines = await listTransactions(services.database.db, filter);
      return { transactions: lines.map(renderTransaction) };
    },
    docs,
  );

function renderTransaction(line: LedgerLine): typeof transactionSchema.static {
  const { id, amountNano, type, description, createdAt, requestId, model } = line;
  return {
    id,
    amount: toJsonNumber(nanoUsd(amountNano)),
    type,
    description,
    createdAt: createdAt.toISOString(),
    ...(requestId !== null && { requestId }),
    ...(model !== null && { model }),
  };
}
