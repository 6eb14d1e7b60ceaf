/** What the documentation says about accounts, payments and refunds for operators. */
import { Type } from '@sinclair/typebox';
import { describe } from '../docs/describe.ts';
import {
  accountDetailSchema,
  accountSchema,
  accountsQuery,
  blockBody,
  creditBody,
  creditSchema,
  limitsBody,
} from './operator-account-schemas.ts';
import { idParams } from './operator-schemas.ts';
import { requiredIdempotencyHeaders } from './schemas.ts';

const accountExample: typeof accountSchema.static = {
  id: 17,
  createdAt: '2030-01-01T09:00:00.000Z',
  email: 'ada@example.com',
  displayName: 'Ada',
  role: 'customer',
  accountType: 'OOO',
  companyName: 'ООО «Ромашка»',
  inn: '7707083893',
  balance: '9.99997624',
  credited: '10',
  spent: '0.00002376',
  blockedAt: null,
  deletedAt: null,
};
const detailExample: typeof accountDetailSchema.static = {
  ...accountExample,
  limits: { requestsPerMinute: null, tokensPerMinute: null, concurrentStreams: null },
  wallet: { available: '9.99997624', reserved: '0' },
  users: [
    {
      id: 21,
      email: 'ada@example.com',
      displayName: 'Ada',
      role: 'customer',
      emailVerified: true,
      createdAt: '2030-01-01T09:00:00.000Z',
    },
  ],
  keys: [],
  transactions: [],
};

const common = { tag: 'Operators', security: 'accessToken' } as const;
const params = idParams('an account');
const detail = { schema: accountDetailSchema, example: detailExample };

export const listAccountsDocs = describe({
  ...common,
  id: 'listAccounts',
  summary: 'Search accounts',
  description:
    'Newest first. `search` is an id or an INN, or a part of an e-mail address, a name or a company. For the next ' +
    'page send the last `id` as `beforeId`.',
  query: accountsQuery,
  answer: {
    status: 200,
    description: 'A page of accounts.',
    schema: Type.Object({ accounts: Type.Array(accountSchema) }),
    example: { accounts: [accountExample] },
  },
  errors: ['access_denied'],
});

export const getAccountDocs = describe({
  ...common,
  id: 'getAccount',
  summary: 'One account',
  params,
  answer: { status: 200, description: 'The account, its users, keys and newest transactions.', ...detail },
  errors: ['access_denied', 'not_found'],
});

export const blockAccountDocs = describe({
  ...common,
  id: 'blockAccount',
  summary: 'Block an account',
  description:
    'When this is answered, its keys are refused on every replica, its sessions have ended and nobody can log in. ' +
    'Running requests go on to their end.',
  params,
  body: { schema: blockBody, example: { reason: 'Chargeback of invoice 17' } },
  answer: { status: 200, description: 'The account as it is now.', ...detail },
  errors: ['access_denied', 'not_found', 'wallet_unavailable'],
});

export const unblockAccountDocs = describe({
  ...common,
  id: 'unblockAccount',
  summary: 'Unblock an account',
  description: 'Its keys work again when this is answered; its users log in anew.',
  params,
  body: { schema: blockBody, example: { reason: 'Paid' } },
  answer: { status: 200, description: 'The account as it is now.', ...detail },
  errors: ['access_denied', 'not_found', 'wallet_unavailable'],
});

export const limitAccountDocs = describe({
  ...common,
  id: 'limitAccount',
  summary: "Change an account's rate limits",
  description: 'What is not sent stays as it is; null is the default of the gateway, 0 no limit. At once in force.',
  params,
  body: { schema: limitsBody, example: { requestsPerMinute: 60_000, reason: 'Load test' } },
  answer: { status: 200, description: 'The account as it is now.', ...detail },
  errors: ['access_denied', 'not_found', 'wallet_unavailable'],
});

const credit = (id: string, noun: string, description: string) =>
  describe({
    ...common,
    id,
    summary: `Book a ${noun}`,
    description: `${description} The reason is what the customer reads. Booked once for each Idempotency-Key, for ever.`,
    headers: requiredIdempotencyHeaders,
    body: { schema: creditBody, example: { accountId: 17, usd: '10', reason: 'Invoice 17' } },
    answer: {
      status: 201,
      description: `The ${noun} is booked.`,
      schema: creditSchema,
      example: {
        transactionId: 31,
        accountId: 17,
        amount: '10',
        balanceBefore: '0',
        balanceAfter: '10',
        repeated: false,
      } satisfies typeof creditSchema.static,
    },
    errors: ['access_denied', 'not_found', 'wallet_limit', 'idempotency_in_progress', 'idempotency_key_reused'],
  });

export const bookPaymentDocs = credit('bookPayment', 'payment', 'Money that a customer has paid.');
export const bookRefundDocs = credit('bookRefund', 'refund', "Money given back to the customer's balance.");
