/** All background work of admin, each a step that is repeated. */
import { allShards } from '../../shared/wallet/shard.ts';
import { publishUsageFormat, usageFormat, usageFormatHeardMs } from '../../shared/wallet/usage-stream/usage-format.ts';
import { UsageStream } from '../../shared/wallet/usage-stream/usage-stream.ts';
import { WalletAuditor } from '../../shared/wallet/wallet-auditor.ts';
import { RateCache, readRate } from '../catalogue/exchange-rate/exchange-rate.ts';
import { keepCataloguePublished } from '../catalogue/publish-catalogue.ts';
import { keepPartitionsMade } from '../database/partitions.ts';
import { retryRejects } from '../ledger/charges/rejects.ts';
import { keepSealed } from '../ledger/seals/keep-sealed.ts';
import { keepPacked } from '../ledger/totals/keep-packed.ts';
import { measureLag } from '../operations/lag-metrics.ts';
import { measureMonths } from '../operations/month-metrics.ts';
import type { AdminServices } from '../services.ts';
import { deliverOutbox } from '../wallets/deliver-outbox.ts';
import { findViolation } from '../wallets/reconcile/checks/check-books.ts';
import { keepReconciled } from '../wallets/reconcile/run-reconciliation.ts';
import { DoubtfulShards } from '../wallets/recovery/doubtful-shards.ts';
import { keepShardsOpen } from '../wallets/recovery/keep-shards-open.ts';
import { applyUsage } from './apply-usage.ts';
import { expireHolds } from './expire-holds.ts';
import { purgeExpired } from './purge-expired.ts';
import { repeat } from './repeat.ts';
import { ShardLocks } from './shard-locks.ts';
import { startDocuments } from './start-documents.ts';
import { startNotifying } from './start-notifying.ts';
import { startPayments } from './start-payments.ts';
import { startWebhooks } from './start-webhooks.ts';

export interface Workers {
  /** True once all shards have been checked for the first time. */
  ready(): boolean;
  stop(): Promise<void>;
}

const openShardsPauseMs = 1_000;
/**
 * The pause while there are charges: those that arrive during it are booked together. A transaction costs as much as
 * fifty charges in it.
 */
const applyUsagePauseMs = 250;
const expireHoldsPauseMs = 5_000;
const outboxPauseMs = 250;
/** Proxies ask twice a second, and a new catalogue has to be effective within one. */
const cataloguePauseMs = 250;
const purgePauseMs = 3_600_000;
const retryRejectsPauseMs = 3_600_000;
const partitionsPauseMs = 86_400_000;
/** How soon a replica shows another one's result; there is a run every five minutes. */
const reconcilePauseMs = 10_000;
/** How soon a replica that comes to be in charge takes its hourly turn. */
const sealPauseMs = 10_000;
/** As often as Prometheus usually scrapes. */
const lagPauseMs = 15_000;

export function startWorkers(services: AdminServices): Workers {
  const { database, scanDatabase, archive, keeper, redis, log } = services;
  const { sql } = database;
  const locks = new ShardLocks({ databaseUrl: services.config.databaseUrl, log });
  const stream = new UsageStream(redis, (error) => log.warn({ err: error }, 'usage stream connection'));
  const auditor = new WalletAuditor(redis);
  const doubtful = new DoubtfulShards(keeper);
  const scan = scanDatabase.sql;
  const seal = keepSealed({ sql: scan, archive, redis, log, findViolation: (signal) => findViolation(scan, signal) });
  const pack = keepPacked(scan);
  const reconcile = keepReconciled({ sql: scan, auditor, log });
  const stopping = new AbortController();
  const rates = new RateCache(sql, services.config);
  const alertTerms = async () => ({ rate: await rates.current(), at: new Date() });
  let ready = false;
  /** The admin with the lock of the first shard is in charge. */
  const isInCharge = () => locks.owned.some((shard) => shard === allShards[0]);
  const turn = () => ({ inCharge: isInCharge(), signal: stopping.signal });
  // An admin of version 0.1.0 does not know that a month is sealed, and could book nothing while it has a charge of it.
  const sealUnlessOld = async () => (locks.usageFormat === usageFormat ? seal(turn()) : undefined);
  const openShards = async () => {
    await locks.refresh();
    await keepShardsOpen({ sql, redis, keeper, auditor, log, doubtful }, locks.owned);
    await publishUsageFormat(redis, locks.usageFormat);
    ready = true;
  };

  const workers = [
    repeat({ name: 'open shards', pauseMs: openShardsPauseMs, log, step: openShards }),
    repeat({
      name: 'apply usage',
      pauseMs: 0,
      log,
      step: async () => {
        const taken = await applyUsage({ ...services, alertTerms, doubtful }, stream, locks.owned);
        if (taken > 0) await Bun.sleep(applyUsagePauseMs);
      },
    }),
    repeat({
      name: 'retry rejects',
      pauseMs: retryRejectsPauseMs,
      log,
      step: async () => {
        const booked = await retryRejects(sql, await alertTerms());
        if (booked > 0) log.info({ booked }, 'booked charges that had been rejected before');
      },
    }),
    repeat({
      name: 'expire holds',
      pauseMs: expireHoldsPauseMs,
      log,
      step: () => expireHolds({ sql, keeper }, locks.owned),
    }),
    repeat({ name: 'deliver outbox', pauseMs: outboxPauseMs, log, step: () => deliverOutbox({ sql, keeper }) }),
    repeat({
      name: 'publish catalogue',
      pauseMs: cataloguePauseMs,
      log,
      step: async () => {
        await keepCataloguePublished({ database, redis, rate: await readRate(sql, services.config) });
      },
    }),
    repeat({ name: 'make partitions', pauseMs: partitionsPauseMs, log, step: () => keepPartitionsMade({ sql, log }) }),
    repeat({ name: 'reconcile', pauseMs: reconcilePauseMs, log, step: () => reconcile(turn()) }),
    repeat({ name: 'seal months', pauseMs: sealPauseMs, log, step: sealUnlessOld }),
    repeat({ name: 'pack totals', pauseMs: sealPauseMs, log, step: () => pack(turn()) }),
    repeat({ name: 'read lag', pauseMs: lagPauseMs, log, step: () => measureLag({ db: database.db, redis }) }),
    repeat({ name: 'read months', pauseMs: lagPauseMs, log, step: () => measureMonths(database.db) }),
    repeat({ name: 'purge expired data', pauseMs: purgePauseMs, log, step: () => purgeExpired(sql) }),
    ...startNotifying(services, stopping.signal),
    ...startPayments(services, stopping.signal),
    ...startDocuments(services, stopping.signal),
    ...startWebhooks(services, stopping.signal),
  ];
  return {
    ready: () => ready,
    stop: async () => {
      await handOver(services, locks);
      stopping.abort();
      await Promise.all(workers.map((worker) => worker.stop()));
      stream.close();
      await locks.release();
    },
  };
}

/** An older admin that is left alone finds only entries that it reads: the others are booked before this one stops. */
async function handOver({ redis, log }: AdminServices, locks: ShardLocks): Promise<void> {
  await locks.refresh();
  if (locks.usageFormat === usageFormat) return;
  try {
    await publishUsageFormat(redis, locks.usageFormat);
    await Bun.sleep(usageFormatHeardMs);
  } catch (error) {
    log.warn({ err: error }, 'proxies were not told that an older admin takes over');
  }
}
