/**
 * Runs seeds: random steps while everything misbehaves, then calm weather until nothing changes any more, then the
 * checks. A failing seed can be repeated.
 */
import { accounts, users } from '../../admin/database/tables/accounts.ts';
import { runAutoTopUps } from '../../admin/payments/auto-top-up/run-auto-top-ups.ts';
import { pollDuePayments } from '../../admin/payments/poll-payments.ts';
import { deliverOutbox } from '../../admin/wallets/deliver-outbox.ts';
import { allShards, shardOfAccount } from '../../shared/wallet/shard.ts';
import { ScriptedPaymentProvider } from '../harness/payments/scripted-provider.ts';
import { stripeWire } from '../harness/payments/stripe-wire.ts';
import { yookassaWire } from '../harness/payments/yookassa-wire.ts';
import { SeededRandom } from '../harness/seeded-random.ts';
import { expireDue, readIdentity } from '../harness/wallet/shard-state.ts';
import { startHarness } from '../harness.ts';
import { endRefunds, type StepName, steps, weights } from './steps.ts';
import { verify } from './verify.ts';
import { type Stage, World } from './world.ts';

export interface SimulationSummary {
  runs: number;
  steps: number;
  payments: number;
  booked: number;
  refunds: number;
  automatic: number;
  restored: number;
  providerCalls: number;
  failed: { seed: number; problems: string[] }[];
}

export const emptySummary = (): SimulationSummary => ({
  runs: 0,
  steps: 0,
  payments: 0,
  booked: 0,
  refunds: 0,
  automatic: 0,
  restored: 0,
  providerCalls: 0,
  failed: [],
});

const stepsPerRun = 60;
const calmRounds = 200;
const calmStepMs = 31 * 60_000;

export interface SimulationOptions {
  /** After each seed. */
  readonly onProgress?: (done: number) => void;
  /** Whether to skip the other seeds. */
  readonly isEnough?: (summary: SimulationSummary) => boolean;
}

export async function simulatePayments(
  seeds: readonly number[],
  { onProgress, isEnough }: SimulationOptions = {},
): Promise<SimulationSummary> {
  const harness = await startHarness();
  const [yookassa, stripe] = await Promise.all([
    ScriptedPaymentProvider.start(yookassaWire),
    ScriptedPaymentProvider.start(stripeWire),
  ]);
  for (const shard of allShards) {
    await harness.keeper.writeMeta(shard, {
      mode: 'open',
      epoch: 1,
      identity: await readIdentity(harness.redis, shard),
    });
  }
  const summary = emptySummary();
  try {
    for (const seed of seeds) {
      const problems = await run({ harness, yookassa, stripe }, seed, summary);
      if (problems.length > 0) summary.failed.push({ seed, problems });
      onProgress?.(summary.runs);
      if (isEnough?.(summary) === true) break;
    }
  } finally {
    await Promise.all([yookassa.stop(), stripe.stop(), harness.stop()]);
  }
  return summary;
}

async function run(stage: Stage, seed: number, summary: SimulationSummary): Promise<string[]> {
  const random = new SeededRandom(seed);
  for (const provider of [stage.yookassa, stage.stripe]) {
    provider.payments.clear();
    provider.refunds.clear();
    provider.calls.length = 0;
  }
  const accountId = await openAccount(stage);
  const world = new World(stage, random, accountId);
  for (let step = 0; step < stepsPerRun; step += 1) {
    const together = Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, () => random.weighted<StepName>(weights));
    // Refusals to an operator or a customer, and work that a killed admin leaves undone, are part of the run.
    await Promise.allSettled(together.map((name) => steps[name](world)));
    summary.steps += together.length;
  }
  const isAtRest = await calmDown(world);
  const problems = await verify(world);
  if (!isAtRest) problems.push(`something is still to be done after ${calmRounds} rounds`);
  const [counts] = await stage.harness.database.sql<
    Record<'payments' | 'booked' | 'refunds' | 'automatic' | 'restored', string>[]
  >`
    SELECT count(*) AS payments, count(transaction_id) AS booked,
      count(transaction_id) FILTER (WHERE card_id IS NOT NULL) AS automatic,
      count(*) FILTER (WHERE restored_minor > 0) AS restored,
      (SELECT count(*) FROM payment_refunds JOIN payments ON payments.id = payment_id WHERE account_id = ${accountId}) AS refunds
    FROM payments WHERE account_id = ${accountId}`;
  summary.runs += 1;
  summary.payments += Number(counts?.payments ?? 0);
  summary.booked += Number(counts?.booked ?? 0);
  summary.refunds += Number(counts?.refunds ?? 0);
  summary.automatic += Number(counts?.automatic ?? 0);
  summary.restored += Number(counts?.restored ?? 0);
  summary.providerCalls += world.providers.reduce((sum, { calls }) => sum + calls.length, 0);
  return problems;
}

/** Without a password, whose hash would cost more than the rest of the run. */
async function openAccount({ harness }: Stage): Promise<number> {
  const { db } = harness.database;
  const [account] = await db.insert(accounts).values({}).returning({ id: accounts.id });
  if (account === undefined) throw new Error('an insert returned no account');
  await db.insert(users).values({ homeAccountId: account.id, email: `${account.id}@example.com`, passwordHash: '' });
  return account.id;
}

/**
 * Every provider responds, every notification arrives, and the workers continue until nothing is left to do. Time in
 * which nothing is due is skipped. Returns whether nothing is left.
 */
async function calmDown(world: World): Promise<boolean> {
  const { harness } = world.stage;
  const { sql } = harness.database;
  world.isCalm = true;
  endRefunds(world);
  // Otherwise the balance would be topped up every day; what is under way ends.
  await sql`UPDATE auto_top_ups SET state = 'off', stop_reason = NULL WHERE account_id = ${world.accountId}`;
  let skipToMs = 0;
  for (let round = 0; round < calmRounds; round += 1) {
    world.nowMs = Math.max(world.nowMs + calmStepMs, skipToMs);
    await world.deliver();
    const due = await Promise.all(world.admins.flatMap((admin) => [pollDuePayments(admin), runAutoTopUps(admin)]));
    await deliverOutbox({ sql, keeper: harness.keeper }, world.accountId);
    await expireDue(harness.keeper, shardOfAccount(world.accountId));
    if (due.some((count) => count > 0)) continue;
    const next = Math.min(world.nextDeliveryMs, await nextQuestionMs(world));
    if (next === Number.POSITIVE_INFINITY) return true;
    skipToMs = next;
  }
  return false;
}

/** When a worker has a query or a retry to make. */
async function nextQuestionMs({ stage, accountId }: World): Promise<number> {
  const [row] = await stage.harness.database.sql<{ next: Date | null }[]>`
    SELECT least(
      (SELECT min(next_ask_at) FROM payments WHERE account_id = ${accountId}),
      (SELECT min(next_attempt_at) FROM payment_refunds JOIN payments ON payments.id = payment_id
        WHERE account_id = ${accountId} AND payment_refunds.status = 'pending')) AS next`;
  return row?.next?.getTime() ?? Number.POSITIVE_INFINITY;
}
