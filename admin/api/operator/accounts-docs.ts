/** The documentation of accounts, payments and refunds for operators. */
import { Type } from '@sinclair/typebox';
import { accountNotFound } from '../../database/rows/lock-account.ts';
import { heavyRefusals } from '../../heavy-work/heavy-work.ts';
import { keyReused, stillRunning } from '../../http/idempotency/idempotency.ts';
import { archiveUnavailable } from '../../ledger/archive/usage-archive.ts';
import { walletFull } from '../../ledger/post-credit.ts';
import { describe } from '../docs/describe.ts';
import { thrownBy } from '../docs/error-examples.ts';
import { customer } from '../fields/example-values.ts';
import { requiredIdempotencyHeaders } from '../fields/schemas.ts';
import { changeNotInForce } from '../keys/deliver-key.ts';
import { requestsResponse } from '../money/requests-docs.ts';
import { requestsQuery } from '../money/requests-schemas.ts';
import { transactionsResponse } from '../money/transactions-docs.ts';
import { transactionsQuery } from '../money/transactions-schemas.ts';
import {
  accountDetailSchema,
  accountSchema,
  accountsQuery,
  blockBody,
  creditBody,
  creditSchema,
  limitsBody,
  readLimitChange,
} from './accounts-schemas.ts';
import { idParams } from './operator-schemas.ts';

const common = { tag: 'Operators', permission: 'operator' } as const;
const params = idParams('an account');
const errorsOfChange = [accountNotFound(customer.accountId, 'accountId'), changeNotInForce(undefined)];
const changed = { description: 'The account after the change.', schema: accountDetailSchema };

export const listAccountsDocs = describe({
  ...common,
  id: 'listAccounts',
  summary: 'Search accounts',
  description:
    'All accounts, or those that match `search` and `blocked`, newest first. For the next page, send the last `id` as ' +
    '`beforeId`.',
  query: accountsQuery,
  response: {
    description: 'A page of accounts.',
    schema: Type.Object({ accounts: Type.Array(accountSchema, { description: 'The accounts, newest first.' }) }),
  },
});

export const getAccountDocs = describe({
  ...common,
  id: 'getAccount',
  summary: 'One account',
  description: 'An account in full, for support.',
  params,
  response: { description: 'The account, its users, keys and newest transactions.', schema: accountDetailSchema },
  errors: [accountNotFound(customer.accountId, 'id')],
});

export const listAccountRequestsDocs = describe({
  ...common,
  id: 'listAccountRequests',
  summary: 'Charged requests of an account',
  description: 'What the customer sees at `GET /api/requests`, newest first.',
  params,
  query: requestsQuery,
  response: requestsResponse,
  errors: [accountNotFound(customer.accountId, 'id'), archiveUnavailable()],
});

export const listAccountTransactionsDocs = describe({
  ...common,
  id: 'listAccountTransactions',
  summary: 'Transactions of an account',
  description:
    'What the customer sees at `GET /api/transactions`, newest first. With `type`, only payments, for example.',
  params,
  query: transactionsQuery,
  response: transactionsResponse,
  errors: [accountNotFound(customer.accountId, 'id'), ...heavyRefusals(), archiveUnavailable()],
});

export const blockAccountDocs = describe({
  ...common,
  id: 'blockAccount',
  summary: 'Block an account',
  description:
    'When the response is sent, the keys of the account are refused on every replica, its sessions have ended and ' +
    'no user can log in to it. Requests in flight run to their end. The balance stays as it is.',
  params,
  body: { schema: blockBody },
  response: changed,
  errors: errorsOfChange,
});

export const unblockAccountDocs = describe({
  ...common,
  id: 'unblockAccount',
  summary: 'Unblock an account',
  description: 'Its keys work again when the response is sent; its users have to log in again.',
  params,
  body: { schema: blockBody, example: { reason: 'Paid' } },
  response: changed,
  errors: errorsOfChange,
});

export const limitAccountDocs = describe({
  ...common,
  id: 'limitAccount',
  summary: "Change an account's rate limits",
  description:
    "Limits that you leave out stay as they are; null sets the gateway's default, 0 no limit. Effective immediately.",
  params,
  body: { schema: limitsBody, example: { requestsPerMinute: 60_000, reason: 'Load test' } },
  response: changed,
  errors: [thrownBy(() => readLimitChange({})), ...errorsOfChange],
});

const credit = (id: string, noun: string, description: string) =>
  describe({
    ...common,
    id,
    summary: `Book a ${noun}`,
    description: `${description} It is booked once per \`Idempotency-Key\`, however often the request is sent.`,
    headers: requiredIdempotencyHeaders,
    body: { schema: creditBody },
    response: { status: 201, description: `The ${noun} is booked.`, schema: creditSchema },
    errors: [accountNotFound(customer.accountId, 'accountId'), walletFull(), stillRunning(), keyReused()],
  });

export const bookPaymentDocs = credit(
  'bookPayment',
  'payment',
  'Adds money that a customer has paid to the balance of an account.',
);
export const bookRefundDocs = credit('bookRefund', 'refund', 'Returns charged money to the balance of an account.');
