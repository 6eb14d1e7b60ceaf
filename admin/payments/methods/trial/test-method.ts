/**
 * Payments without money, to try everything out: a page asks whether the payment succeeds. What is chosen there is the
 * provider's truth, kept as an event of the payment.
 */
import type { Sql } from 'postgres';
import { testPayment } from '../../../../shared/payment-methods.ts';
import { type MinorUnits, minorUnits } from '../../../money/payment-money.ts';
import type { MethodFactory, PaymentQuery, ProviderPayment } from '../payment-method.ts';

/** `succeed_once`: the payment succeeds, and later charges of the card that it saves fail. */
export const testOutcomes = ['succeed', 'succeed_once', 'fail'] as const;
export type TestOutcome = (typeof testOutcomes)[number];

const lifetimeMs = 3_600_000;

export const testMethod: MethodFactory = ({ config, sql }) =>
  config.payments.hasTestMethod
    ? {
        id: testPayment,
        currencies: ['RUB', 'USD'],
        isCard: true,
        needsCompany: false,
        isPolled: true,
        savesCards: true,
        offsetReceipts: undefined,
        lifetimeMs,
        create: async ({ paymentId, card }) => {
          if (card !== null) await chargeCard(sql, paymentId, card.reference);
          const confirmationUrl = card === null ? `${config.publicUrl}/test-payments/${paymentId}` : null;
          return { reference: paymentId, confirmationUrl };
        },
        query: (payment) => readTruth(sql, payment),
        refund: async ({ refundId }) => ({ state: 'succeeded', reference: refundId, problem: null }),
        findRefund: async () => undefined,
        readNotification: async () => undefined,
        check: async () => 'no money is involved',
      }
    : undefined;

/** The card is named by what was chosen when it was saved. Once, however often it is repeated. */
async function chargeCard(sql: Sql, paymentId: string, card: string): Promise<void> {
  const outcome: TestOutcome = card === ('succeed' satisfies TestOutcome) ? 'succeed' : 'fail';
  await sql`
    INSERT INTO payment_events (payment_id, kind, body)
    SELECT ${paymentId}, 'notification', ${outcome}
    WHERE NOT EXISTS (SELECT FROM payment_events WHERE payment_id = ${paymentId} AND kind = 'notification')`;
}

interface TruthRow {
  readonly amount_minor: string;
  readonly refunded_minor: string;
  readonly currency: string;
  readonly saves_card: boolean;
  readonly body: string | null;
  readonly received_at: Date | null;
}

async function readTruth(sql: Sql, { paymentId }: PaymentQuery): Promise<ProviderPayment | undefined> {
  const [row] = await sql<TruthRow[]>`
    SELECT amount_minor, refunded_minor, currency, saves_card, event.body, event.received_at FROM payments
    LEFT JOIN LATERAL (
      SELECT body, received_at FROM payment_events WHERE payment_id = payments.id AND kind = 'notification'
      ORDER BY id LIMIT 1
    ) AS event ON true
    WHERE payments.id = ${paymentId}`;
  if (row === undefined) return undefined;
  const isPaid = row.body !== null && row.body !== ('fail' satisfies TestOutcome);
  const amountMinor: MinorUnits = minorUnits(BigInt(row.amount_minor));
  return {
    reference: paymentId,
    paymentId,
    isOurs: true,
    state: row.body === null ? 'pending' : isPaid ? 'paid' : 'declined',
    amountMinor,
    currency: row.currency,
    paidAt: row.received_at,
    refundedMinor: minorUnits(BigInt(row.refunded_minor)),
    failedRefunds: [],
    disputes: [],
    card: isPaid && row.saves_card ? { reference: row.body ?? '', customer: null, title: 'Test card' } : null,
    raw: row.body ?? '',
  };
}
