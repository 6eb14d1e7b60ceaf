/** Compares every payment, and the balances of those who paid, with the provider's truth, to the kopeck. */
import { listPayments, readDetails } from '../../../admin/payments/list-payments.ts';
import { findPaymentProblems } from '../../harness/payments/find-payment-problems.ts';
import type { World } from '../world/world.ts';

const paymentsMax = 100_000;
const namedMax = 3;

/** Customers who were about to pay leave, and queries and retries of later are due now, as after hours. */
export async function agePayments({ database: { sql }, yookassa }: World): Promise<void> {
  for (const held of yookassa.payments.values()) if (held.state === 'pending') held.state = 'expired';
  await sql`UPDATE payments SET next_ask_at = now() WHERE next_ask_at > now()`;
  await sql`UPDATE payment_refunds SET next_attempt_at = now() WHERE status = 'pending' AND next_attempt_at > now()`;
}

/** What is still on its way; an empty list means rest. The first few are named with the provider's state. */
export async function findOpenPayments({ database: { sql }, yookassa }: World): Promise<string[]> {
  const payments = await sql<{ id: string; status: string; asks: number; booked: boolean }[]>`
    SELECT id, status, asks, transaction_id IS NOT NULL AS booked FROM payments WHERE next_ask_at IS NOT NULL`;
  const refunds = await sql<{ id: string; payment_id: string; attempts: number }[]>`
    SELECT id, payment_id, attempts FROM payment_refunds WHERE status = 'pending'`;
  if (payments.length + refunds.length === 0) return [];
  const truthOf = (paymentId: string) =>
    [...yookassa.payments.values()].find((held) => held.paymentId === paymentId)?.state ?? 'none';
  return [
    `${payments.length} payments and ${refunds.length} refunds have not ended`,
    ...payments.slice(0, namedMax).map(({ id, status, asks, booked }) => {
      const isBooked = booked ? 'booked' : 'not booked';
      return `payment ${id} is ${status}, ${isBooked}, asked ${asks} times; the provider's is ${truthOf(id)}`;
    }),
    ...refunds.slice(0, namedMax).map(({ id, payment_id, attempts }) => {
      return `refund ${id} of payment ${payment_id} was tried ${attempts} times`;
    }),
  ];
}

/** Expected to be empty. */
export async function verifyPayments(world: World): Promise<string[]> {
  const { database, yookassa, payers } = world;
  const held = Map.groupBy(yookassa.payments.values(), ({ paymentId }) => paymentId);
  const keys = await database.sql<
    { idempotency_key: string }[]
  >`SELECT idempotency_key FROM journals WHERE type = 'payment'`;
  const journals = Map.groupBy(keys, ({ idempotency_key }) => idempotency_key);
  const known = new Set<string>();
  const problems: string[] = [];
  for (const { accountId } of payers) {
    const filter = { accountId, status: undefined };
    const { payments } = await listPayments(database.db, filter, { limit: paymentsMax, offset: 0 });
    const ids = payments.map(({ id }) => id);
    const detailsOf = await readDetails(database.db, ids);
    let expectedNano = 0n;
    for (const payment of payments) {
      known.add(payment.id);
      const truths = held.get(payment.id) ?? [];
      if (truths.length > 1) problems.push(`${payment.id}: the provider has ${truths.length} payments`);
      const booked = journals.get(payment.id)?.length ?? 0;
      problems.push(...findPaymentProblems({ payment, truth: truths[0], shop: yookassa.shop, journals: booked }));
      if (payment.transactionId !== null) expectedNano += payment.creditNano;
      for (const { status, amountNano } of detailsOf(payment.id).refunds)
        if (status === 'succeeded') expectedNano -= amountNano;
    }
    const [account] = await database.sql<{ balance_nano: string }[]>`
      SELECT balance_nano FROM accounts WHERE id = ${accountId}`;
    const balance = BigInt(account?.balance_nano ?? 0);
    if (balance !== expectedNano)
      problems.push(`account ${accountId} has ${balance} nano-dollars, its payments say ${expectedNano}`);
  }
  for (const paymentId of held.keys())
    if (!known.has(paymentId)) problems.push(`the provider has a payment ${paymentId}, which was never ordered`);
  return problems;
}
