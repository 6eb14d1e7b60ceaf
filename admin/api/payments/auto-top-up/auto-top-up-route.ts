/** /api/payments/auto-top-up: the caller lets a saved card be charged when the balance is low. */
import { Elysia } from 'elysia';
import { checkValue } from '../../../../shared/http/check-value.ts';
import { authorized } from '../../../auth/authorize.ts';
import { readRate } from '../../../catalogue/exchange-rate/exchange-rate.ts';
import { callerAddress } from '../../../http/request/caller-address.ts';
import { parseMinorUnits } from '../../../money/payment-money.ts';
import { recordAction } from '../../../operations/audit/record-action.ts';
import { readAutoTopUp } from '../../../payments/auto-top-up/saved-card.ts';
import { switchOff, switchOn } from '../../../payments/auto-top-up/settings.ts';
import type { PaymentServices } from '../../../payments/payment-services.ts';
import type { AdminServices } from '../../../services.ts';
import { parseUsdAmount } from '../../fields/usd-amount.ts';
import { deleteAutoTopUpDocs, getAutoTopUpDocs, putAutoTopUpDocs } from './auto-top-up-docs.ts';
import { autoTopUpBody, renderAutoTopUp } from './auto-top-up-schemas.ts';

export function autoTopUpRoute(services: AdminServices, payments: PaymentServices) {
  const { config, database } = services;
  const { db } = database;
  const render = async (accountId: number) => renderAutoTopUp(await readAutoTopUp(db, accountId), payments.methods);
  return new Elysia({ prefix: '/api/payments/auto-top-up' })
    .use(authorized(services))
    .get('', ({ caller }) => render(caller.accountId), getAutoTopUpDocs)
    .put(
      '',
      async ({ actor, body, caller, request, server }) => {
        const { accountId } = caller;
        const { consentVersion: version, consentLanguage: language, ...chosen } = checkValue(autoTopUpBody, body);
        const choice = {
          method: chosen.method,
          currency: chosen.currency,
          amountMinor: parseMinorUnits(chosen.amount),
          thresholdNano: parseUsdAmount(chosen.belowUsd),
          dayLimitMinor: parseMinorUnits(chosen.dayLimit),
          monthLimitMinor: parseMinorUnits(chosen.monthLimit),
        };
        const consent = { version, language, address: callerAddress({ request, server }, config) };
        const rate = await readRate(database.sql, config);
        const { method, currency, amount, belowUsd, dayLimit, monthLimit } = chosen;
        await db.transaction(async (transaction) => {
          await switchOn(payments, transaction, { accountId, choice, consent, rate });
          await recordAction(transaction, actor, {
            action: 'auto_top_up.start',
            subject: `account ${accountId}`,
            accountId,
            after: { method, currency, amount, belowUsd, dayLimit, monthLimit },
          });
        });
        return render(accountId);
      },
      putAutoTopUpDocs,
    )
    .delete(
      '',
      async ({ actor, caller: { accountId }, set }) => {
        await db.transaction(async (transaction) => {
          await switchOff(transaction, accountId, payments.now());
          const subject = `account ${accountId}`;
          await recordAction(transaction, actor, { action: 'auto_top_up.stop', subject, accountId });
        });
        set.status = 204;
      },
      deleteAutoTopUpDocs,
    );
}
