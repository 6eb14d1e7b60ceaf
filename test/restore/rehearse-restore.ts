/**
 * Stores are lost or restored to an earlier moment while two proxies serve requests: what is lost then, and how long it
 * takes. Customers' charges are compared with the requests that got a response.
 */
import { recoveredModel } from '../../admin/ledger/charges/recovered-charge.ts';
import { reconcile } from '../../admin/wallets/reconcile/reconcile.ts';
import { type Drift, sumOfDrift } from '../../admin/wallets/reconcile/reconciliation.ts';
import { runAfterRestore } from '../../admin/wallets/restored/after-restore.ts';
import { WalletAuditor } from '../../shared/wallet/wallet-auditor.ts';
import { WalletCensus } from '../../shared/wallet/wallet-census.ts';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { violationsAtRest } from '../harness/books.ts';
import { ScriptedPaymentProvider } from '../harness/payments/scripted-provider.ts';
import { stripeSecret, stripeWebhookSecret, stripeWire } from '../harness/payments/stripe-wire.ts';
import { startScriptedProvider } from '../harness/providers/scripted-provider.ts';
import { testCatalogue } from '../harness/providers/test-catalogue.ts';
import { startHarness } from '../harness.ts';
import { changeAfterMoment, prepareChanges, type SeenChanges, seeChanges, startingUsd } from './changes.ts';
import { RestorablePostgres } from './restorable-postgres.ts';
import type { Stage } from './stage.ts';
import { behaviour, costNano, type Load, longestGapMs, startLoad, upstreamModel } from './steady-load.ts';

export const losses = ['redis-restarted', 'redis-emptied', 'postgres-restored', 'both'] as const;
export type Loss = (typeof losses)[number];

export interface RestoreOptions {
  readonly loss: Loss;
  /** Between the backup and the moment that is restored, and from then until Postgres fails. */
  readonly beforeMs: number;
  readonly afterMs: number;
  readonly pauseMs: number;
  /** Admin is started before `gateway after-restore`. */
  readonly adminFirst?: boolean;
  readonly onStep?: (name: string) => void;
}

export interface RestoreReport {
  readonly loss: Loss;
  readonly requests: number;
  readonly failed: number;
  /** The longest time without a successful request. */
  readonly gapMs: number;
  /** Without admin: from its end until it is ready again. 0 if it kept running. */
  readonly adminAwayMs: number;
  readonly restoreMs: number;
  readonly afterRestoreMs: number;
  /** The findings of the reconciliation before anything was repaired. */
  readonly drift: Drift;
  readonly violations: readonly string[];
  readonly undecided: number;
  /** Requests that got a response and have no receipt. */
  readonly receiptsLost: number;
  /** What customers were charged, and what they should have been. */
  readonly chargedNano: bigint;
  readonly owedNano: bigint;
  /** At rest, at the end; expected to be empty. */
  readonly wrong: readonly string[];
  readonly changes: SeenChanges | undefined;
}

export async function rehearseRestore(options: RestoreOptions): Promise<RestoreReport> {
  const postgres = await RestorablePostgres.start();
  const harness = await startHarness({ testDatabase: postgres });
  const provider = startScriptedProvider();
  const stripe = await ScriptedPaymentProvider.start(stripeWire);
  try {
    provider.on(upstreamModel, behaviour);
    await harness.applyCatalogue(testCatalogue(provider.baseUrl));
    const payment = { STRIPE_SECRET_KEY: stripeSecret, STRIPE_WEBHOOK_SECRET: stripeWebhookSecret };
    const startAdmin = () => harness.startAdmin({ ...payment, STRIPE_API_URL: stripe.url });
    const admin = await startAdmin();
    const proxies = [await harness.startProxy(), await harness.startProxy()];
    const customers = await Promise.all([1, 2, 3].map(() => harness.createCustomer({ usd: startingUsd })));
    return await play({ harness, postgres, stripe, proxies, customers, admin, startAdmin }, options);
  } finally {
    await Promise.all([provider.stop(), stripe.stop()]);
    await harness.stop();
  }
}

async function play(stage: Stage, options: RestoreOptions): Promise<RestoreReport> {
  const { loss, onStep = () => {} } = options;
  const { harness, customers } = stage;
  const load = startLoad(stage.proxies, customers, options);
  const flowing = flowOf(load);
  await flowing();
  onStep('backup');
  await stage.postgres.takeBackup();
  await Bun.sleep(options.beforeMs);
  const isRestored = loss === 'postgres-restored' || loss === 'both';
  const prepared = isRestored ? await prepareChanges(stage) : undefined;
  const moment = await stage.postgres.now();
  onStep(`the moment ${moment.toISOString()}`);
  const changes = prepared && (await changeAfterMoment(stage, prepared));
  await Bun.sleep(options.afterMs);
  const lost = isRestored ? await losePostgres(stage, moment, options) : await loseRedis(stage, loss, onStep);
  await flowing();
  await Bun.sleep(options.beforeMs);
  await load.stop();
  const wrong = await violationsAtRest(
    harness,
    customers.map(({ accountId }) => accountId),
  );
  const counted = await countUp(stage, load);
  // Afterwards, as it makes requests: where Redis was lost as well, a key that was deleted works again, and is charged.
  const seen = changes && (await seeChanges(stage, changes));
  return { loss, ...lost, ...counted, wrong, changes: seen };
}

/** Waits until requests succeed again. */
function flowOf({ completed }: Load): () => Promise<unknown> {
  return () => {
    const fromMs = Date.now();
    return waitFor('answered requests', guardTimeoutMs, async () =>
      completed.some(({ status, atMs }) => status === 200 && atMs > fromMs),
    );
  };
}

type Lost = Pick<RestoreReport, 'adminAwayMs' | 'restoreMs' | 'afterRestoreMs' | 'drift' | 'violations' | 'undecided'>;

const noDrift = sumOfDrift([]);

async function loseRedis({ harness }: Stage, loss: Loss, onStep: (name: string) => void): Promise<Lost> {
  onStep(loss);
  if (loss === 'redis-restarted') await harness.restartRedis(async () => {});
  else await harness.redis.flushall();
  return { adminAwayMs: 0, restoreMs: 0, afterRestoreMs: 0, drift: noDrift, violations: [], undecided: 0 };
}

/** The steps of docs/recovery.md. */
async function losePostgres(
  stage: Stage,
  moment: Date,
  { loss, adminFirst = false, onStep = () => {} }: RestoreOptions,
): Promise<Lost> {
  const { harness, postgres } = stage;
  const { sql } = harness.database;
  onStep('admin stopped');
  const fromMs = Date.now();
  await stage.admin.stop();
  onStep('Postgres restored');
  const [, restoreMs] = await timed(() => postgres.restoreTo(moment));
  if (loss === 'both') await harness.redis.flushall();
  const services = {
    sql,
    auditor: new WalletAuditor(harness.redis),
    census: new WalletCensus(harness.redis),
    keeper: harness.keeper,
  };
  // Otherwise, if the restore takes long, admin books the payment again before it is looked for.
  await retried(() => sql`UPDATE payments SET next_ask_at = now() + interval '1 hour' WHERE next_ask_at IS NOT NULL`);
  const startAdmin = async () => {
    onStep('admin started');
    stage.admin = await stage.startAdmin();
    return Date.now() - fromMs;
  };
  let adminAwayMs = adminFirst ? await startAdmin() : 0;
  // Until then, the ledger agrees with the newest charge that it has.
  if (adminFirst) await everyAccountBooked(stage, new Date());
  onStep('reconciled');
  const before = await retried(() => reconcile({ ...services, pauseMs: 50 }));
  onStep('after-restore');
  const actor = { name: 'rehearsal', userId: null, address: null, requestId: null };
  const [, afterRestoreMs] = await timed(() => runAfterRestore(services, { reason: 'a rehearsal', actor }));
  if (!adminFirst) adminAwayMs = await startAdmin();
  const { drift, undecided } = before;
  const violations = before.violations.map(({ message }) => message);
  return { adminAwayMs, restoreMs, afterRestoreMs, drift, violations, undecided };
}

/** Charges of every customer that were made after this moment are in the ledger. */
async function everyAccountBooked({ harness, customers }: Stage, moment: Date): Promise<void> {
  const ids = customers.map(({ accountId }) => accountId);
  await waitFor('charges to be booked', guardTimeoutMs, async () => {
    const [row] = await harness.database.sql<{ accounts: number }[]>`
      SELECT count(DISTINCT account_id)::int AS accounts FROM usage_events
      WHERE account_id = ANY(${ids}::bigint[]) AND charged_at > ${moment}`;
    return row?.accounts === ids.length;
  });
}

async function timed<Result>(work: () => Promise<Result>): Promise<[Result, number]> {
  const fromMs = performance.now();
  const result = await work();
  return [result, Math.round(performance.now() - fromMs)];
}

/** The connections of this process broke when Postgres stopped. */
async function retried<Result>(work: () => Promise<Result>): Promise<Result> {
  return waitFor('Postgres', guardTimeoutMs, () => work().catch(() => undefined));
}

async function countUp({ harness, customers }: Stage, { completed }: Load) {
  const { sql } = harness.database;
  const ids = customers.map(({ accountId }) => accountId);
  const [row] = await sql<{ spent: string; receipts: string }[]>`
    SELECT (SELECT sum(spent_nano) FROM accounts WHERE id = ANY(${ids}::bigint[])) AS spent,
      (SELECT count(*) FROM charged_requests JOIN usage_events USING (request_id)
        WHERE charged_requests.account_id = ANY(${ids}::bigint[]) AND model <> ${recoveredModel}) AS receipts`;
  const good = completed.filter(({ status }) => status === 200).length;
  return {
    requests: completed.length,
    failed: completed.length - good,
    gapMs: longestGapMs(completed),
    receiptsLost: good - Number(row?.receipts ?? 0),
    chargedNano: BigInt(row?.spent ?? '0'),
    owedNano: BigInt(good) * costNano,
  };
}
