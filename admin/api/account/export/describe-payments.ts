/** What is known of an account's payments besides the ledger, as an export shows it. */
import { asc, eq } from 'drizzle-orm';
import { formatUsd, nanoUsd } from '../../../../shared/money.ts';
import type { DbOrTransaction } from '../../../database/connect.ts';
import { autoTopUpConsents } from '../../../database/tables/auto-top-ups.ts';
import { formatMinorUnits, minorUnits } from '../../../money/payment-money.ts';
import { readAutoTopUp } from '../../../payments/auto-top-up/saved-card.ts';
import { listPayments, readDetails } from '../../../payments/list-payments.ts';
import { readOffsetReceipts } from '../../../payments/offset-receipts/list-receipts.ts';
import { renderPayment } from '../../payments/payment-schemas.ts';

const paymentsAtOnce = 200;

/** Newest first. One that is ordered during the export moves the pages, so that another may be in two of them. */
export async function* pagesOfPayments(db: DbOrTransaction, accountId: number) {
  for (let offset = 0; ; offset += paymentsAtOnce) {
    const page = await listPayments(db, { accountId, status: undefined }, { limit: paymentsAtOnce, offset });
    const ids = page.payments.map(({ id }) => id);
    const detailsOf = await readDetails(db, ids);
    const receiptsOf = await readOffsetReceipts(db, ids);
    yield page.payments.map((payment) => ({
      ...renderPayment(payment, detailsOf(payment.id)),
      email: payment.email,
      offsetReceipts: receiptsOf(payment.id).map(({ month, amount, status }) => ({ month, amount, status })),
    }));
    if (page.payments.length < paymentsAtOnce) return;
  }
}

/** The card is what its provider calls it: nothing here can charge it. */
export async function describeAutoTopUp(db: DbOrTransaction, accountId: number) {
  const { settings, card } = await readAutoTopUp(db, accountId);
  const consents = await db
    .select()
    .from(autoTopUpConsents)
    .where(eq(autoTopUpConsents.accountId, accountId))
    .orderBy(asc(autoTopUpConsents.id));
  return {
    settings: settings && {
      state: settings.state,
      method: settings.method,
      currency: settings.currency,
      amount: formatMinorUnits(minorUnits(settings.amountMinor)),
      belowUsd: formatUsd(nanoUsd(settings.thresholdNano)),
      dayLimit: formatMinorUnits(minorUnits(settings.dayLimitMinor)),
      monthLimit: formatMinorUnits(minorUnits(settings.monthLimitMinor)),
    },
    card: card && { title: card.title, savedAt: card.createdAt },
    consents: consents.map(({ givenAt, textVersion, words, address }) => ({ givenAt, textVersion, words, address })),
  };
}
