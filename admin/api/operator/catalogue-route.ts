/** /api/operator/catalogue: providers, models and prices: current, scheduled and past. */
import { desc } from 'drizzle-orm';
import { Elysia } from 'elysia';
import { checkQuery } from '../../../shared/http/check-query.ts';
import { checkValue } from '../../../shared/http/check-value.ts';
import { catalogueVersions } from '../../../shared/tables/catalogue.ts';
import { requireOperator } from '../../auth/require-operator.ts';
import { applyAudited } from '../../catalogue/apply-catalogue.ts';
import { noCatalogueYet, renderCatalogueFile } from '../../catalogue/newest-catalogue.ts';
import { modelWithoutHistory, readPriceHistory } from '../../catalogue/price-history.ts';
import {
  cancelScheduled,
  listScheduled,
  type ScheduledCatalogue,
  scheduleCatalogue,
} from '../../catalogue/schedule-catalogue.ts';
import type { Db } from '../../database/connect.ts';
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
  parseCatalogue,
  scheduleBody,
  type scheduledSchema,
} from './catalogue-schemas.ts';
import { idParams } from './operator-schemas.ts';

const scheduledParams = idParams('a scheduled catalogue');

export function operatorCatalogueRoute(services: AdminServices) {
  const { db } = services.database;
  const { listedKeys } = services.config;
  return new Elysia({ prefix: '/api/operator/catalogue' })
    .use(requireOperator(services))
    .get('', () => readCatalogue(db), getCatalogueDocs)
    .put(
      '',
      async ({ actor, body }) => {
        const { catalogue } = checkValue(applyBody, body);
        return applyAudited(db, actor, parseCatalogue(catalogue, listedKeys));
      },
      applyCatalogueDocs,
    )
    .post(
      '/scheduled',
      async ({ actor, body, set }) => {
        const { catalogue, effectiveFrom } = checkValue(scheduleBody, body);
        const file = parseCatalogue(catalogue, listedKeys);
        const order = { file, effectiveFrom: parseInstant(effectiveFrom, 'effectiveFrom') };
        const scheduled = await scheduleCatalogue(db, actor, order);
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
