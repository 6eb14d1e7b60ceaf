/** /api/operator/catalogue: providers, models and prices: current, scheduled and past. */
import { desc } from 'drizzle-orm';
import { Elysia } from 'elysia';
import { checkValue } from '../../../shared/http/check-value.ts';
import { authorized } from '../../auth/authorize.ts';
import { findAffectedCustomers } from '../../catalogue/affected-customers.ts';
import { applyAudited } from '../../catalogue/apply-catalogue.ts';
import { compareCatalogue } from '../../catalogue/compare-catalogue.ts';
import { noCatalogueYet, readNewestCatalogue, renderCatalogueFile } from '../../catalogue/newest-catalogue.ts';
import { modelWithoutHistory, readPriceHistory } from '../../catalogue/price-history.ts';
import {
  cancelScheduled,
  listScheduled,
  type ScheduledCatalogue,
  scheduleCatalogue,
} from '../../catalogue/schedule-catalogue.ts';
import type { Db } from '../../database/connect.ts';
import { catalogueVersions } from '../../database/tables/catalogue.ts';
import { checkQuery } from '../../http/request/check-query.ts';
import { parseInstant } from '../../http/request/parse-instant.ts';
import type { AdminServices } from '../../services.ts';
import {
  applyCatalogueDocs,
  cancelCatalogueDocs,
  getCatalogueDocs,
  priceHistoryDocs,
  scheduleCatalogueDocs,
} from './catalogue-docs.ts';
import {
  applyBody,
  type catalogueSchema,
  historyQuery,
  previewBody,
  scheduleBody,
  type scheduledSchema,
  validFile,
} from './catalogue-schemas.ts';
import { idParams } from './operator-schemas.ts';
import { previewCatalogueDocs, type previewSchema } from './preview-docs.ts';

const scheduledParams = idParams('a scheduled catalogue');

export function operatorCatalogueRoute(services: AdminServices) {
  const { db } = services.database;
  const read = (yaml: string) => services.catalogueReaders.read(yaml, services.config.listedKeys);
  return new Elysia({ prefix: '/api/operator/catalogue' })
    .use(authorized(services))
    .get('', () => readCatalogue(db), getCatalogueDocs)
    .put(
      '',
      async ({ actor, body }) => {
        const { catalogue, ...expected } = checkValue(applyBody, body);
        return applyAudited(db, actor, { file: validFile(await read(catalogue)), ...expected });
      },
      applyCatalogueDocs,
    )
    .post('/preview', ({ body }) => preview(services, checkValue(previewBody, body).catalogue), previewCatalogueDocs)
    .post(
      '/scheduled',
      async ({ actor, body, set }) => {
        const { catalogue, effectiveFrom } = checkValue(scheduleBody, body);
        const file = validFile(await read(catalogue));
        const input = { file, effectiveFrom: parseInstant(effectiveFrom, 'effectiveFrom') };
        const scheduled = await scheduleCatalogue(db, actor, input);
        set.status = 201;
        return renderScheduled(scheduled);
      },
      scheduleCatalogueDocs,
    )
    .delete(
      '/scheduled/:id',
      async ({ actor, params, set }) => {
        await cancelScheduled(db, actor, checkQuery(scheduledParams, params).id);
        set.status = 204;
      },
      cancelCatalogueDocs,
    )
    .get(
      '/prices',
      async ({ query }) => {
        const { model } = checkQuery(historyQuery, query);
        const prices = await readPriceHistory(db, model);
        if (prices.length === 0) throw modelWithoutHistory();
        return { model, prices };
      },
      priceHistoryDocs,
    );
}

const noDifference = {
  ...{ added: [], removed: [], changed: [], unchanged: 0 },
  ...{ customersAffected: 0, customers: [] },
};

async function preview(
  { catalogueReaders, config, backgroundDatabase }: AdminServices,
  yaml: string,
): Promise<typeof previewSchema.static> {
  const reading = await catalogueReaders.read(yaml, config.listedKeys);
  // Read before the prices: if another version replaces it in between, applying the file is refused.
  const version = (await readNewestCatalogue(backgroundDatabase.db))?.version ?? null;
  if (!reading.ok) return { valid: false, version, problems: [...reading.problems], ...noDifference };
  const difference = await compareCatalogue(backgroundDatabase.db, reading.file);
  const { customers, total } = await findAffectedCustomers(backgroundDatabase.sql, difference);
  return {
    valid: true,
    version,
    problems: [],
    added: [...difference.added],
    removed: difference.removed.map(({ id }) => id),
    changed: difference.changed.map(({ id, changes }) => ({ id, prices: [...changes] })),
    unchanged: difference.unchanged,
    customersAffected: total,
    customers: customers.map((customer) => ({ ...customer, models: [...customer.models] })),
  };
}

async function readCatalogue(db: Db): Promise<typeof catalogueSchema.static> {
  const [newest] = await db.select().from(catalogueVersions).orderBy(desc(catalogueVersions.version)).limit(1);
  if (newest === undefined) throw noCatalogueYet();
  const scheduled = await listScheduled(db);
  return {
    version: newest.version,
    createdAt: newest.createdAt.toISOString(),
    catalogue: renderCatalogueFile(newest.file),
    scheduled: scheduled.map((row) => ({ ...renderScheduled(row), catalogue: renderCatalogueFile(row.file) })),
  };
}

function renderScheduled({ id, effectiveFrom, createdAt }: ScheduledCatalogue): typeof scheduledSchema.static {
  return { id, effectiveFrom: effectiveFrom.toISOString(), createdAt: createdAt.toISOString() };
}
