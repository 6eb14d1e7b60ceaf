/** What people do between the restored moment and the failure, and what has become of it afterwards. */
import { deleteKey } from '../../admin/keys/change-key.ts';
import { createKey } from '../../admin/keys/create-key.ts';
import { deliverOutbox } from '../../admin/wallets/deliver-outbox.ts';
import { parseUsd } from '../../shared/money.ts';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import type { Customer } from '../harness/customers.ts';
import { logInAt } from '../harness/log-in-at.ts';
import type { Stage } from './stage.ts';
import { ask } from './steady-load.ts';

interface Prepared {
  /** An order that is not paid yet. */
  readonly paymentId: string;
  readonly payer: Customer;
  /** A key that is about to leak. */
  readonly leakedKey: string;
  readonly leakedKeyId: number;
}

export interface Changes extends Prepared {
  readonly newcomer: Customer;
  readonly newKey: string;
}

export interface SeenChanges {
  /** What became of the money that was paid after the moment, in nano-USD. */
  readonly paidNano: bigint;
  /** Responses to requests with the key that was deleted, the key that was created, and the new customer's. */
  readonly deletedKey: number;
  readonly createdKey: number;
  readonly newcomersKey: number;
  /** The id of the next account was never assigned before. */
  readonly idsAreNew: boolean;
}

export const startingUsd = '100';
export const paidUsd = '7.00';

export async function prepareChanges({ harness, admin, customers }: Stage): Promise<Prepared> {
  const [payer] = customers;
  if (payer === undefined) throw new Error('there are no customers');
  const response = await fetch(`${admin.url}/api/payments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await logInAt(admin.url, payer)}`, 'idempotency-key': crypto.randomUUID() },
    body: JSON.stringify({ method: 'stripe', amount: paidUsd, currency: 'USD' }),
  });
  if (!response.ok) throw new Error(`order: ${response.status} ${await response.text()}`);
  const { id: paymentId } = Object(await response.json());
  const { accountId } = payer;
  const { db, sql } = harness.database;
  const { id: leakedKeyId, key: leakedKey } = await createKey(db, harness.keyPepper, {
    ...{ accountId, kind: 'proxy', name: 'leaked', expiresAt: null },
  });
  await deliverOutbox({ sql, keeper: harness.keeper }, accountId);
  return { paymentId, payer, leakedKey, leakedKeyId };
}

export async function changeAfterMoment(stage: Stage, prepared: Prepared): Promise<Changes> {
  const { harness, stripe, proxies } = stage;
  const { db, sql } = harness.database;
  const { accountId } = prepared.payer;
  stripe.pay(stripe.of(prepared.paymentId));
  await askNow(stage, prepared.paymentId);
  await deleteKey(db, { id: prepared.leakedKeyId, accountId, kind: 'proxy' });
  const { key: newKey } = await createKey(db, harness.keyPepper, {
    ...{ accountId, kind: 'proxy', name: 'new', expiresAt: null },
  });
  await deliverOutbox({ sql, keeper: harness.keeper }, accountId);
  const newcomer = await harness.createCustomer({ usd: '5' });
  await waitFor(
    'the newcomer to be served',
    guardTimeoutMs,
    async () => (await ask(proxies[0], newcomer.proxyKey)) === 200,
  );
  return { ...prepared, newcomer, newKey };
}

/** Makes admin query the provider, which it does at longer intervals by itself. */
async function askNow({ harness }: Stage, paymentId: string): Promise<void> {
  const { sql } = harness.database;
  await waitFor('the payment to be booked', guardTimeoutMs, async () => {
    const [row] = await sql<{ status: string }[]>`SELECT status FROM payments WHERE id = ${paymentId}`;
    if (row?.status === 'succeeded') return true;
    await sql`UPDATE payments SET next_ask_at = now() WHERE id = ${paymentId} AND next_ask_at > now() + interval '1 s'`;
    return false;
  });
}

export async function seeChanges(stage: Stage, changes: Changes): Promise<SeenChanges> {
  const { harness, proxies } = stage;
  await askNow(stage, changes.paymentId);
  const [account] = await harness.database.sql<{ credited_nano: string }[]>`
    SELECT credited_nano FROM accounts WHERE id = ${changes.payer.accountId}`;
  const next = await harness.createCustomer({ usd: '0' });
  return {
    paidNano: BigInt(account?.credited_nano ?? '0') - parseUsd(startingUsd),
    deletedKey: await ask(proxies[0], changes.leakedKey),
    createdKey: await ask(proxies[1], changes.newKey),
    newcomersKey: await ask(proxies[1], changes.newcomer.proxyKey),
    idsAreNew: next.accountId > changes.newcomer.accountId && next.userId > changes.newcomer.userId,
  };
}
