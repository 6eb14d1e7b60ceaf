/**
 * Compares the catalogue with the price list of CATALOGUE_SYNC_URL once a day, whichever replica is first. Where the operator allows
 * it, prices of providers that have fallen are applied; for everything else operators are asked. Nothing is ever removed, and a list
 * that cannot be fetched or read changes nothing. Each attempt is a row, which the page of the catalogue shows.
 */
import { and, desc, eq, ne } from 'drizzle-orm';
import type { Sql } from 'postgres';
import type { ListedKeys } from '../../../shared/config/provider-keys.ts';
import { GatewayError } from '../../../shared/errors.ts';
import type { Log } from '../../../shared/log.ts';
import type { PriceListConfig } from '../../config/admin.ts';
import { numberedLocks } from '../../database/advisory-locks.ts';
import type { Database, DbOrTransaction, Transaction } from '../../database/connect.ts';
import { priceListChecks } from '../../database/tables/catalogue.ts';
import type { Actor } from '../../operations/audit/record-action.ts';
import { applyAudited } from '../apply-catalogue.ts';
import type { CatalogueReaders } from '../catalogue-readers.ts';
import { readNewestCatalogue, renderCatalogueFile } from '../newest-catalogue.ts';
import {
  compareWithList,
  type ListComparison,
  type ListedDifference,
  type RenderedComparison,
  type RenderedDifference,
  renderComparison,
  renderDifference,
} from './compare-with-list.ts';
import { fetchPublishedList } from './fetch-published-list.ts';
import type { PublishedList } from './offer.ts';
import { readPublishedList } from './read-published-list.ts';
import { takeOver } from './take-over.ts';

/** What operators are asked about, and have not been before. */
export interface PriceListNews {
  readonly url: string;
  readonly comparison: RenderedComparison;
}

export interface DailyComparisonServices {
  readonly database: Database;
  readonly config: { readonly priceList: PriceListConfig; readonly listedKeys: ListedKeys };
  readonly catalogueReaders: Pick<CatalogueReaders, 'read'>;
  readonly log: Log;
  readonly now: () => Date;
  readonly stopping: AbortSignal;
  /** Mails operators, in the transaction that records it. */
  announce(transaction: Transaction, news: PriceListNews): Promise<void>;
}

interface Compared {
  readonly comparison: ListComparison;
  readonly applied: readonly ListedDifference[];
  readonly appliedVersion: number | null;
}

const hourMs = 3_600_000;
const dailyMs = 24 * hourMs;
const retryMs = hourMs;
/** An attempt takes less than a minute, so one that is older has ended with its program. */
const abandonedMs = hourMs / 6;
const keptMs = 90 * dailyMs;

const worker: Actor = { name: 'worker:price-list', userId: null, address: null, requestId: null };

/** If there is a list, and it is time. Returns whether it was compared. */
export async function compareDaily(services: DailyComparisonServices): Promise<boolean> {
  const { database, config, log, now } = services;
  const { url } = config.priceList;
  if (url === undefined) return false;
  const id = await begin(database.sql, url, now());
  if (id === undefined) return false;
  try {
    const list = readPublishedList(await fetchPublishedList(url, { signal: services.stopping }));
    const compared = await compare(services, { list, url });
    if (compared === undefined) throw new Error('no catalogue has been applied yet');
    await record(services, { id, url, compared });
    return true;
  } catch (error) {
    if (services.stopping.aborted) {
      // The next program makes the attempt.
      await database.db.delete(priceListChecks).where(eq(priceListChecks.id, id));
      return false;
    }
    const reason = error instanceof Error ? error.message : String(error);
    log.warn({ err: error, url }, 'the catalogue could not be compared with the price list');
    await database.db.update(priceListChecks).set({ state: 'failed', error: reason }).where(eq(priceListChecks.id, id));
    return false;
  }
}

/** The number of the attempt; undefined if it is not time, or another replica makes it. */
function begin(sql: Sql, url: string, now: Date): Promise<number | undefined> {
  const since = (ms: number) => new Date(now.getTime() - ms);
  return sql.begin(async (transaction) => {
    await transaction`SELECT pg_advisory_xact_lock(${numberedLocks.priceList.number})`;
    await transaction`
      UPDATE price_list_checks SET state = 'failed', error = 'the program ended'
      WHERE state = 'running' AND started_at <= ${since(abandonedMs)}`;
    await transaction`DELETE FROM price_list_checks WHERE started_at <= ${since(keptMs)}`;
    const [begun] = await transaction<{ id: string }[]>`
      INSERT INTO price_list_checks (url, state, started_at)
      SELECT ${url}, 'running', ${now}::timestamptz WHERE NOT EXISTS (
        SELECT FROM price_list_checks WHERE url = ${url} AND (state = 'running'
          OR state = 'failed' AND started_at > ${since(retryMs)} OR state = 'compared' AND started_at > ${since(dailyMs)}))
      RETURNING id`;
    return begun && Number(begun.id);
  });
}

/** After what may be applied has been. Undefined if there is no catalogue. */
async function compare(
  services: DailyComparisonServices,
  { list, url }: { list: PublishedList; url: string },
): Promise<Compared | undefined> {
  const { database, config, now } = services;
  const today = now().toISOString().slice(0, 10);
  const newest = await readNewestCatalogue(database.db);
  if (newest === undefined) return undefined;
  const comparison = compareWithList(newest.file, list, today);
  const falling = config.priceList.appliesDecreases ? decreasesAlone(comparison) : [];
  const version = falling.length === 0 ? undefined : await apply(services, { ...newest, falling, url });
  if (version === undefined) return { comparison, applied: [], appliedVersion: null };
  const after = await readNewestCatalogue(database.db);
  const rest = compareWithList(after?.file ?? newest.file, list, today);
  return { comparison: rest, applied: falling, appliedVersion: version };
}

/**
 * Of models of which the list says nothing about prices but that they have fallen, and none of them by much: where one price rises
 * as another falls, applying the one would be at the operator's expense.
 */
export function decreasesAlone({ changed }: ListComparison): ListedDifference[] {
  return changed.flatMap((difference) => {
    const prices = difference.changes.filter(({ isPrice }) => isPrice);
    const haveFallen = prices.every(({ isDecrease, isLarge }) => isDecrease && !isLarge);
    return prices.length > 0 && haveFallen ? [{ ...difference, changes: prices }] : [];
  });
}

interface Falling {
  readonly version: number;
  readonly file: Parameters<typeof takeOver>[0];
  readonly falling: readonly ListedDifference[];
  readonly url: string;
}

/** The new version; undefined if it cannot be applied, so that operators are asked. */
async function apply(services: DailyComparisonServices, { version, file, falling, url }: Falling) {
  const { database, config, catalogueReaders, log } = services;
  const reading = await catalogueReaders.read(renderCatalogueFile(takeOver(file, falling)), config.listedKeys);
  if (!reading.ok) {
    log.warn({ problems: reading.problems, url }, 'lower prices of the price list make no valid catalogue');
    return undefined;
  }
  const reason = `lower prices of providers in the price list of ${url}`;
  try {
    const input = { file: reading.file, expectedVersion: version, reason };
    const applied = await applyAudited(database.db, worker, input);
    log.info(
      { version: applied.version, models: falling.map(({ model }) => model) },
      'lower prices of the price list are applied',
    );
    return applied.version;
  } catch (error) {
    // An operator was faster, and decides.
    if (error instanceof GatewayError && error.code === 'catalogue_changed') return undefined;
    throw error;
  }
}

interface Recorded {
  readonly id: number;
  readonly url: string;
  readonly compared: Compared;
}

/** Operators are mailed if there is a difference that the mail before did not have. */
async function record(services: DailyComparisonServices, { id, url, compared }: Recorded): Promise<void> {
  const comparison = renderComparison(compared.comparison);
  await services.database.db.transaction(async (transaction) => {
    const known = differencesOf(await readAnnounced(transaction, url));
    const isNew = [...differencesOf(comparison)].some((difference) => !known.has(difference));
    await transaction
      .update(priceListChecks)
      .set({
        state: 'compared',
        comparison,
        applied: compared.applied.map(renderDifference),
        appliedVersion: compared.appliedVersion,
        isAnnounced: isNew,
      })
      .where(eq(priceListChecks.id, id));
    if (isNew) await services.announce(transaction, { url, comparison });
  });
}

async function readAnnounced(transaction: Transaction, url: string): Promise<RenderedComparison | undefined> {
  const [row] = await transaction
    .select({ comparison: priceListChecks.comparison })
    .from(priceListChecks)
    .where(and(eq(priceListChecks.url, url), eq(priceListChecks.isAnnounced, true)))
    .orderBy(desc(priceListChecks.id))
    .limit(1);
  return row?.comparison as RenderedComparison | undefined;
}

function differencesOf(comparison: RenderedComparison | undefined): ReadonlySet<string> {
  const changed = comparison?.changed ?? [];
  return new Set(changed.flatMap(({ model, changes }) => changes.map(({ field, to }) => `${model} ${field} ${to}`)));
}

export interface LastAttempt {
  readonly startedAt: Date;
  readonly error: string | null;
}

export interface LastComparison {
  readonly comparedAt: Date;
  readonly comparison: RenderedComparison;
  readonly applied: readonly RenderedDifference[];
  readonly appliedVersion: number | null;
}

/** Of the list at this address: the newest attempt that has ended, and the newest comparison. */
export async function readLastComparison(
  db: DbOrTransaction,
  url: string,
): Promise<{ attempt: LastAttempt | undefined; last: LastComparison | undefined }> {
  const newest = (state: 'ended' | 'compared') =>
    db
      .select()
      .from(priceListChecks)
      .where(
        and(
          eq(priceListChecks.url, url),
          state === 'ended' ? ne(priceListChecks.state, 'running') : eq(priceListChecks.state, 'compared'),
        ),
      )
      .orderBy(desc(priceListChecks.id))
      .limit(1);
  const [[attempt], [compared]] = await Promise.all([newest('ended'), newest('compared')]);
  return {
    attempt: attempt && { startedAt: attempt.startedAt, error: attempt.error },
    last: compared && {
      comparedAt: compared.startedAt,
      // They were rendered before they were stored.
      comparison: compared.comparison as RenderedComparison,
      applied: compared.applied as RenderedDifference[],
      appliedVersion: compared.appliedVersion,
    },
  };
}
