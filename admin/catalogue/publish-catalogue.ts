/** Publishes the newest catalogue to Redis, where every proxy picks it up within a second. */
import { eq } from 'drizzle-orm';
import {
  catalogueFields,
  catalogueKey,
  featuresOfPrices,
  isBilledWhole,
  type PublishedCatalogue,
  type PublishedModel,
  publishedKind,
  publishedPrices,
} from '../../shared/catalogue/published-catalogue.ts';
import { withoutUndefined } from '../../shared/members.ts';
import { formatRubPerUsd } from '../../shared/money.ts';
import type { RedisClient } from '../../shared/redis/connect.ts';
import { listEachPrices } from '../../shared/usage/each-prices.ts';
import { batchTier } from '../../shared/usage/rates.ts';
import type { Database } from '../database/connect.ts';
import { eachPrices, listedPrices, type PriceRow, ratesOf } from '../database/rows/price-row.ts';
import { catalogueVersions } from '../database/tables/catalogue.ts';
import type { CatalogueFile, CatalogueFileModel } from './catalogue-file.ts';
import { factsOf } from './deployment-facts.ts';
import type { ExchangeRate } from './exchange-rate/exchange-rate.ts';
import { readCurrentPrices } from './price-history.ts';
import publishIfUnchanged from './publish-catalogue.lua' with { type: 'text' };
import { applyDueCatalogues } from './schedule-catalogue.ts';

interface PublishServices {
  readonly database: Database;
  readonly redis: RedisClient;
  readonly rate: ExchangeRate;
}

/**
 * Applies scheduled catalogues that are due, and publishes if Redis has another revision. Returns the current version, or
 * undefined if there is no catalogue. Where a scheduled one cannot be applied, the newest one is published, with today's
 * exchange rate, before its failure is thrown.
 *
 * Several admins may publish concurrently. The revision in Redis is read before the catalogue in Postgres, so as long as it
 * is the same afterwards, this catalogue is not older than the published one. If it has changed, nothing is published:
 * every admin looks again a moment later.
 */
export async function keepCataloguePublished(services: PublishServices): Promise<number | undefined> {
  const publishedRevision = await services.redis.hget(catalogueKey, catalogueFields.revision);
  const { version, failure } = await applyDueAndReadNewest(services.database);
  if (version !== undefined) await publish(services, { version, publishedRevision });
  if (failure !== undefined) throw failure;
  return version;
}

async function publish(
  services: PublishServices,
  { version, publishedRevision }: { version: number; publishedRevision: string | null },
): Promise<void> {
  const { date, source } = services.rate;
  const perUsd = formatRubPerUsd(services.rate.rubPerUsd);
  const revision = `${version}@${perUsd}@${date ?? source}`;
  if (publishedRevision === revision) return;

  const file = await readFile(services.database, version);
  const prices = await readCurrentPrices(services.database.db);
  const published: PublishedCatalogue = {
    providers: file.providers.map(({ country: _, retentionDays: __, trains: ___, ...provider }) => ({
      ...provider,
      apiKeyEnv: provider.apiKeyEnv ?? '',
      quirks: provider.quirks ?? {},
    })),
    models: file.models.map((model) => publishedModel(model, file, prices)),
    rubRate: { perUsd, date, source },
  };
  const document = JSON.stringify(published);
  await services.redis.eval(publishIfUnchanged, 1, catalogueKey, publishedRevision ?? '', revision, document);
}

/** Admin asks four times a second, and nearly always none is due: so it is one statement, and no transaction. */
async function applyDueAndReadNewest(
  database: Database,
): Promise<{ version: number | undefined; failure?: Error | undefined }> {
  const { version, due } = await readNewest(database);
  if (!due) return { version };
  const failure = await applyDueCatalogues(database.db).then(
    () => undefined,
    (cause: unknown) => new Error('a scheduled catalogue cannot be applied', { cause }),
  );
  return { version: (await readNewest(database)).version, failure };
}

async function readNewest({ sql }: Database): Promise<{ version: number | undefined; due: boolean }> {
  const [found] = await sql<{ version: string | null; due: boolean }[]>`
    SELECT (SELECT max(version) FROM catalogue_versions) AS version,
      EXISTS (SELECT FROM scheduled_catalogues WHERE state = 'waiting' AND effective_from <= now()) AS due`;
  return { version: found?.version ? Number(found.version) : undefined, due: found?.due === true };
}

function publishedModel(
  model: CatalogueFileModel,
  { providers }: CatalogueFile,
  prices: ReadonlyMap<string, PriceRow>,
): PublishedModel {
  const price = prices.get(model.id);
  if (price === undefined) throw new Error(`model ${model.id} has no price`);
  const rates = ratesOf(price, 'listed');
  const each = listEachPrices(eachPrices(price, 'listed'));
  return {
    id: model.id,
    kind: publishedKind(model.kind, [
      ...(rates.length > 0 ? (['rates'] as const) : []),
      ...(rates.some(({ tier }) => tier === batchTier) ? ([batchTier] as const) : []),
      ...each.map(({ unit }) => unit),
      ...featuresOfPrices(listedPrices(price)),
    ]),
    ownedBy: model.ownedBy,
    contextTokens: model.contextTokens,
    maxOutputTokens: model.maxOutputTokens ?? 0,
    ...withoutUndefined({
      dimensions: model.dimensions,
      inputModalities: model.inputModalities,
      retiresAt: model.retiresAt,
    }),
    createdAt: Math.floor(price.effectiveFrom.getTime() / 1_000),
    priceVersion: price.version,
    ...publishedPrices(listedPrices(price)),
    ...(price.cacheWrite1hPico !== null && { hasLongCacheWrites: true }),
    ...(price.imagePrices !== null && {
      imagePrices: price.imagePrices.map(({ size, quality, listedPico }) => ({ size, quality, pico: listedPico })),
    }),
    ...Object.fromEntries(each.map((of) => [`${of.unit}Pico`, String(of.price)])),
    ...(rates.length > 0 && {
      rates: rates.map(({ tier, above, prices }) => ({ tier, above, ...publishedPrices(prices) })),
    }),
    deployments: model.deployments.map((deployment) => publishedDeployment(model, deployment, providers)),
  };
}

function publishedDeployment(
  { kind }: CatalogueFileModel,
  { priority = 1, weight = 1, ...deployment }: CatalogueFileModel['deployments'][number],
  providers: CatalogueFile['providers'],
): PublishedModel['deployments'][number] {
  const provider = providers.find(({ id }) => id === deployment.provider);
  if (provider === undefined) throw new Error(`there is no provider ${deployment.provider}`);
  const onDisconnect = isBilledWhole(kind, provider.protocol) ? 'drain' : 'abort';
  // Its name is published with the provider.
  const { publicName: _, ...facts } = factsOf(deployment, providers);
  return { onDisconnect, ...deployment, ...facts, priority, weight };
}

async function readFile(database: Database, version: number): Promise<CatalogueFile> {
  const [row] = await database.db.select().from(catalogueVersions).where(eq(catalogueVersions.version, version));
  // It was validated before it was stored.
  return row?.file as CatalogueFile;
}
