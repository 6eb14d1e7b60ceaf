/** Accounts as operators see and change them. */
import { Type } from '@sinclair/typebox';
import { GatewayError } from '../../../shared/errors.ts';
import { perRateLimit, type RateLimit } from '../../../shared/limits/rate-limits.ts';
import { withoutUndefined } from '../../../shared/members.ts';
import { exampleOf } from '../../../shared/openapi/example-of.ts';
import type { AccountLimits } from '../../accounts/limit-account.ts';
import { roles } from '../../auth/permissions.ts';
import { keyStates } from '../../keys/find-key.ts';
import { nullableInput } from '../fields/checked-by.ts';
import { customer, proxyKey } from '../fields/example-values.ts';
import { usdText } from '../fields/money.ts';
import { closedObject, count, flag, integer, label, nullable, oneOf, text, timestamp } from '../fields/schemas.ts';
import { usdAmount } from '../fields/usd-amount.ts';
import { chargeExample, transactionSchema } from '../money/transactions-schemas.ts';
import { accountId, auditReason, pageFields, reason } from './operator-schemas.ts';

const searchMaxLength = 200;
const rateMax = 1_000_000_000;
/** Of an account and its owner, in the examples. */
const createdAt = '2030-01-01T09:00:00.000Z';

export const accountsQuery = Type.Object({
  search: Type.Optional(
    label(searchMaxLength, 'An account id or an INN, or part of an e-mail address, a name or a company name.'),
  ),
  blocked: Type.Optional(
    oneOf(['true', 'false'], 'Lists only blocked accounts (`true`) or only others (`false`). Without it, all.'),
  ),
  ...pageFields,
});

export const blockBody = closedObject({
  reason: auditReason('Chargeback of invoice 17'),
});

const meaningOf = ({ means }: RateLimit) => `${means}; null is the gateway's default, 0 no limit.`;
const rate = (description: string) =>
  Type.Optional(
    nullableInput(
      Type.Integer({
        minimum: 0,
        maximum: rateMax,
        description,
        expected: `a whole number from 0 to ${rateMax}`,
      }),
    ),
  );

/** Omitted limits stay as they are; null is the gateway's default, 0 no limit. */
export const limitsBody = closedObject({
  ...perRateLimit((limit) => rate(meaningOf(limit))),
  reason: Type.Optional(auditReason('Load test')),
});

export const creditBody = closedObject({
  accountId: accountId('The id of the account to credit.'),
  usd: usdAmount('How much to book, more than 0.', '10'),
  reason: reason(
    'The description of the transaction, which the customer reads; it is in the audit log too.',
    'Invoice 17',
  ),
});

export const creditSchema = Type.Object(
  {
    transactionId: integer('The id of the transaction in the ledger.', 31),
    accountId: integer('The id of the account.', customer.accountId),
    amount: usdText('The booked amount.', '10'),
    balanceBefore: usdText('The balance before it was booked.', '0'),
    balanceAfter: usdText('The balance after it was booked.', '10'),
    repeated: flag('Whether an earlier request had already booked it. Then both balances are the current one.'),
  },
  { title: 'Credit' },
);

const accountFields = {
  id: integer('The id of the account.', customer.accountId),
  createdAt: timestamp('When the account was created.', createdAt),
  email: nullable(
    text("The e-mail address of the account's first user; null if the account has no user.", customer.email),
  ),
  displayName: nullable(text("The first user's name; null if none was given.", customer.name)),
  role: nullable(text("The first user's role, `customer` or `operator`; null if the account has no user.", 'customer')),
  accountType: oneOf(
    ['INDIVIDUAL', 'OOO', 'IP'],
    'A private person (`INDIVIDUAL`), a company (`OOO`) or a sole proprietor (`IP`).',
    'OOO',
  ),
  companyName: nullable(
    text("The company's name, or the sole proprietor's own; null if it is not known.", customer.companyName),
  ),
  inn: nullable(
    text('The taxpayer number of the company or the sole proprietor; null if it is not known.', customer.inn),
  ),
  balance: usdText('Payments and refunds less charges, as booked in the ledger.', '9.99997624'),
  credited: usdText('The sum of all payments and refunds.', '10'),
  spent: usdText('The sum of all charges.', '0.00002376'),
  blockedAt: nullable(timestamp('When the account was blocked; null if it is not.')),
  deletedAt: nullable(timestamp('When the account was deleted; its ledger stays. Null if it was not.')),
};

export const accountSchema = Type.Object(accountFields, { title: 'Account' });

export const accountDetailSchema = Type.Object(
  {
    ...accountFields,
    limits: Type.Object(
      perRateLimit((limit) => nullable(count(meaningOf(limit)))),
      { description: 'How fast all keys of the account together may be used.' },
    ),
    wallet: nullable(
      Type.Object(
        {
          available: usdText('What new requests can spend now.'),
          reserved: usdText('What requests in flight have reserved.'),
        },
        {
          description: "The account's wallet in Redis; null if there is none yet, or Redis cannot be reached.",
          example: { available: '9.99997624', reserved: '0' },
        },
      ),
    ),
    users: Type.Array(
      Type.Object({
        id: integer('The id of the user.', customer.userId),
        email: text("The user's e-mail address.", customer.email),
        displayName: nullable(text("The user's name; null if none was given.", customer.name)),
        role: text('What the user may do: `customer` or `operator`.', 'customer'),
        organizationRole: nullable(
          oneOf(roles, 'What the user may do in the organization; null for those who were deleted with it.', 'owner'),
        ),
        emailVerified: flag('Whether the user has verified the e-mail address.', true),
        createdAt: timestamp('When the user was created.', createdAt),
      }),
      { description: 'Who belongs to the account.' },
    ),
    keys: Type.Array(
      Type.Object({
        id: integer('The id of the key.', proxyKey.id),
        kind: oneOf(['proxy', 'billing'], 'What the key is for: inference (`proxy`), or the management of such keys.'),
        name: text('The name that the key was given.', proxyKey.name),
        prefix: text('The first 11 characters of the key.', proxyKey.prefix),
        active: flag('Whether the key can be used now: it is neither deactivated nor expired.', true),
        state: oneOf(
          keyStates,
          'Why it can be used or not; an expired key is `expired` even if it is deactivated too.',
          'active',
        ),
        createdAt: timestamp('When the key was created.'),
        expiresAt: nullable(timestamp('When the key stops working; null is never.')),
      }),
      { description: 'All keys of both kinds that are not deleted.' },
    ),
    transactions: Type.Array(transactionSchema, {
      description: 'The newest transactions of the account.',
      example: [chargeExample, exampleOf(transactionSchema)],
    }),
  },
  { title: 'AccountDetail' },
);

/** For a checked body. Throws GatewayError `missing_parameter` if there is nothing to change. */
export function readLimitChange(body: typeof limitsBody.static): Partial<AccountLimits> {
  const change = withoutUndefined(perRateLimit(({ name }) => body[name]));
  if (Object.keys(change).length > 0) return change;
  throw new GatewayError('missing_parameter', 'Send a limit, such as `requestsPerMinute`.', {
    param: 'requestsPerMinute',
  });
}
