/**
 * Payments without money, to try everything out: a page asks whether the payment succeeds. What is chosen there is the
 * provider's truth, kept as an event of the payment.
 */
import type { Sql } from 'postgres';
import { type MinorUnits, minorUnits } from '../../../../shared/payment-money.ts';
import type { MethodFactory } from '../method-factory.ts';
import type { AskedPayment, ProviderPayment } from '../payment-method.ts';

export type TestOutcome = 'succeed' | 'fail';

export const testMethodId = 'test';
const lifetimeMs = 3_600_000;

export const testMethod: MethodFactory = ({ config, sql }) =>
  config.payments.hasTestMethod
    ? {
        id: testMethodId,
        title: 'Test payment',
        currencies: ['RUB', 'USD'],
        isCard: true,
        needsCompany: false,
        isAsked: true,
        lifetimeMs,
        create: async ({ paymentId }) => ({
          reference: paymentId,
          confirmationUrl: `${config.publicUrl}/test-payments/${paymentId}`,
        }),
        ask: (payment) => readTruth(sql, payment),
        refund: async ({ refundId }) => ({ state: 'succeeded', reference: refundId, problem: null }),
        readNotification: async () => undefined,
      }
    : undefined;

interface TruthRow {
  readonly amount_minor: string;
  readonly refunded_minor: string;
  readonly currency: string;
  readonly body: string | null;
  readonly received_at: Date | null;
}

async function readTruth(sql: Sql, { paymentId }: AskedPayment): Promise<ProviderPayment | undefined> {
  const [row] = await sql<TruthRow[]>`
    SELECT amount_minor, refunded_minor, currency, event.body, event.received_at FROM payments
    LEFT JOIN LATERAL (
      SELECT body, received_at FROM payment_events WHERE payment_id = payments.id AND kind = 'notification'
      ORDER BY id LIMIT 1
    ) AS event ON true
    WHERE payments.id = ${paymentId}`;
  if (row === undefined) return undefined;
  const amountMinor: MinorUnits = minorUnits(BigInt(row.amount_minor));
  return {
    reference: paymentId,
    paymentId,
    isOurs: true,
    state: row.body === null ? 'pending' : row.body === ('succeed' satisfies TestOutcome) ? 'paid' : 'declined',
    amountMinor,
    currency: row.currency,
    paidAt: row.received_at,
    refundedMinor: minorUnits(BigInt(row.refunded_minor)),
    disputedMinor: minorUnits(0n),
    raw: row.body ?? '',
  };
}
