/**
 * GET /api/balance. The balance is posted money and does not change with requests in flight; what they hold is reported
 * separately.
 */
import { Type } from '@sinclair/typebox';
import { eq } from 'drizzle-orm';
import { Elysia } from 'elysia';
import { formatRub, type NanoUsd, nanoUsd, zeroNano } from '../../../shared/money.ts';
import { authorized } from '../../auth/authorize.ts';
import { readRate } from '../../catalogue/exchange-rate/exchange-rate.ts';
import { accounts } from '../../database/tables/accounts.ts';
import type { AdminServices } from '../../services.ts';
import { describe } from '../docs/describe.ts';
import { rubFields, rubValues, usdFields, usdValues } from '../fields/money.ts';
import { renderRubRate, rubRateSchema } from '../fields/rub-rate.ts';

export const balanceSchema = Type.Object(
  {
    ...usdFields('balance', 'Payments and refunds less charges, in USD. Requests in flight do not change it.', '9.874'),
    ...usdFields('available', 'What new requests can spend now, in USD.', '9.821'),
    ...usdFields(
      'reserved',
      'What requests in flight have reserved, in USD. The unused part becomes available again.',
      '0.053',
    ),
    ...rubFields('balanceRub', '`balance` in RUB, rounded down to a kopeck.', '802.1'),
    rubRate: rubRateSchema(
      'The exchange rate behind `balanceRub`. It changes once a day at most, and the balance with it.',
    ),
  },
  { title: 'Balance' },
);

const docs = describe({
  id: 'getBalance',
  permission: 'balance:read',
  summary: 'Balance',
  description:
    'The balance of the account. `balance` is what has been booked; `available` and `reserved` follow requests in ' +
    'flight in real time.',
  tag: 'Money',
  response: { description: "The account's balance.", schema: balanceSchema },
});

export const balanceRoute = (services: AdminServices) =>
  new Elysia()
    .use(authorized(services))
    .get('/api/balance', ({ caller }) => readBalance(services, caller.accountId), docs);

async function readBalance(services: AdminServices, accountId: number): Promise<typeof balanceSchema.static> {
  const [account] = await services.database.db
    .select({ balanceNano: accounts.balanceNano })
    .from(accounts)
    .where(eq(accounts.id, accountId));
  if (account === undefined) throw new Error(`user without an account ${accountId}`);
  const balanceNano = nanoUsd(account.balanceNano);
  const rate = await readRate(services.database.sql, services.config);
  const { availableNano, heldNano } = await readWallet(services, accountId, balanceNano);
  return {
    ...usdValues('balance', balanceNano),
    ...usdValues('available', availableNano),
    ...usdValues('reserved', heldNano),
    ...rubValues('balanceRub', formatRub(balanceNano, rate.rubPerUsd)),
    rubRate: renderRubRate(rate),
  };
}

/** Without a wallet in Redis, or without Redis, nothing can be held and the posted balance is the best response. */
async function readWallet({ keeper, log }: AdminServices, accountId: number, balanceNano: NanoUsd) {
  const fallback = { availableNano: balanceNano, heldNano: zeroNano };
  try {
    return (await keeper.readWallet(accountId)) ?? fallback;
  } catch (error) {
    log.warn({ err: error, accountId }, 'the balance is returned without the wallet');
    return fallback;
  }
}
