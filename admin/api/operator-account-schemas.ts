/** Accounts as operators see and change them. */
import { Type } from '@sinclair/typebox';
import type { AccountLimits } from '../accounts/limit-account.ts';
import { keyStates } from '../keys/key-state.ts';
import { orNull } from './checked-by.ts';
import { accountId, pageFields, reason, usd } from './operator-schemas.ts';
import { closedObject, label, nullable, oneOf, timestamp } from './schemas.ts';
import { transactionSchema } from './transaction-schemas.ts';
import { usdAmount } from './usd-amount.ts';

const searchMaxLength = 200;
const rateMax = 1_000_000_000;

export const accountsQuery = Type.Object({
  search: Type.Optional(label(searchMaxLength)),
  blocked: Type.Optional(oneOf(['true', 'false'], 'true or false')),
  ...pageFields,
});

export const blockBody = closedObject({ reason });

const rate = Type.Optional(
  orNull(Type.Integer({ minimum: 0, maximum: rateMax, description: `a whole number from 0 to ${rateMax}` })),
);

/** What is not sent stays as it is; null is the default of the gateway, 0 no limit. */
export const limitsBody = closedObject({
  requestsPerMinute: rate,
  tokensPerMinute: rate,
  concurrentStreams: rate,
  reason: Type.Optional(reason),
});

export const creditBody = closedObject({ accountId, usd: usdAmount, reason });

export const creditSchema = Type.Object({
  transactionId: Type.Integer(),
  accountId,
  amount: usd('What was booked.'),
  balanceBefore: usd('The balance before.'),
  balanceAfter: usd('The balance after.'),
  repeated: Type.Boolean({ description: 'It had been booked before; both balances are the present one.' }),
});

const accountFields = {
  id: Type.Integer(),
  createdAt: timestamp,
  email: nullable(Type.String()),
  displayName: nullable(Type.String()),
  role: nullable(Type.String()),
  accountType: oneOf(['INDIVIDUAL', 'OOO', 'IP'], 'INDIVIDUAL, OOO or IP'),
  companyName: nullable(Type.String({ description: "The company's name, or the sole proprietor's own." })),
  inn: nullable(Type.String()),
  balance: usd('Posted money.'),
  credited: usd('All payments and refunds.'),
  spent: usd('All charges.'),
  blockedAt: nullable(timestamp),
  deletedAt: nullable(Type.String({ format: 'date-time', description: 'Since when it is deleted; its ledger stays.' })),
};

const storedRate = nullable(Type.Integer());

export const accountSchema = Type.Object(accountFields);

export const accountDetailSchema = Type.Object({
  ...accountFields,
  limits: Type.Object(
    { requestsPerMinute: storedRate, tokensPerMinute: storedRate, concurrentStreams: storedRate },
    { description: 'Of all keys together. Null is the default of the gateway, 0 no limit.' },
  ),
  wallet: nullable(
    Type.Object(
      { available: usd('What can be spent now.'), reserved: usd('What running requests hold.') },
      { description: 'As Redis has it; null where it has none, or cannot be reached.' },
    ),
  ),
  users: Type.Array(
    Type.Object({
      id: Type.Integer(),
      email: Type.String(),
      displayName: nullable(Type.String()),
      role: Type.String(),
      emailVerified: Type.Boolean(),
      createdAt: timestamp,
    }),
  ),
  keys: Type.Array(
    Type.Object({
      id: Type.Integer(),
      kind: oneOf(['proxy', 'billing'], 'proxy or billing'),
      name: Type.String(),
      prefix: Type.String(),
      active: Type.Boolean(),
      state: oneOf(keyStates, 'active, inactive or expired'),
      createdAt: timestamp,
      expiresAt: nullable(timestamp),
    }),
  ),
  transactions: Type.Array(transactionSchema, { description: 'The newest ones.' }),
});

/** Of a checked body. */
export function readLimitChange({
  requestsPerMinute,
  tokensPerMinute,
  concurrentStreams,
}: typeof limitsBody.static): Partial<AccountLimits> {
  return {
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    ...(tokensPerMinute !== undefined && { tokensPerMinute }),
    ...(concurrentStreams !== undefined && { concurrentStreams }),
  };
}
