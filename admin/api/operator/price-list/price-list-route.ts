/** /api/operator/catalogue/price-list: what a published price list says differently, and taking it over into a catalogue file. */
import { Elysia } from 'elysia';
import { checkValue } from '../../../../shared/http/check-value.ts';
import { authorized } from '../../../auth/authorize.ts';
import { noCatalogueYet, readNewestCatalogue, renderCatalogueFile } from '../../../catalogue/newest-catalogue.ts';
import {
  compareWithList,
  type ListedDifference,
  type RenderedComparison,
  type RenderedDifference,
  renderComparison,
} from '../../../catalogue/published-lists/compare-with-list.ts';
import { readLastComparison } from '../../../catalogue/published-lists/daily-comparison.ts';
import { fetchPublishedList } from '../../../catalogue/published-lists/fetch-published-list.ts';
import { readPublishedList } from '../../../catalogue/published-lists/read-published-list.ts';
import { type ChosenDifference, takeOver } from '../../../catalogue/published-lists/take-over.ts';
import type { AdminServices } from '../../../services.ts';
import { comparePriceListDocs, getPriceListDocs, takeOverDocs } from './price-list-docs.ts';
import { listNotConfigured, listUnavailable, noLongerDifferent, notConfirmed } from './price-list-errors.ts';
import {
  compareBody,
  type comparisonSchema,
  type priceListSchema,
  type takenOverSchema,
  takeOverBody,
} from './price-list-schemas.ts';

export function operatorPriceListRoute(services: AdminServices) {
  return new Elysia({ prefix: '/api/operator/catalogue/price-list' })
    .use(authorized(services))
    .get('', () => readPriceList(services), getPriceListDocs)
    .post(
      '/compare',
      async ({ body, request }): Promise<typeof comparisonSchema.static> => {
        const { list } = checkValue(compareBody, body);
        const { version, comparison } = await compare(services, list, request.signal);
        return { version, ...mutable(renderComparison(comparison)) };
      },
      comparePriceListDocs,
    )
    .post(
      '/take-over',
      async ({ body, request }): Promise<typeof takenOverSchema.static> => {
        const { list, changes } = checkValue(takeOverBody, body);
        const { version, file, comparison } = await compare(services, list, request.signal);
        const catalogue = renderCatalogueFile(takeOver(file, choose(comparison.changed, changes)));
        return { version, catalogue };
      },
      takeOverDocs,
    );
}

async function readPriceList({ config, database }: AdminServices): Promise<typeof priceListSchema.static> {
  const { url, appliesDecreases } = config.priceList;
  const found = url === undefined ? undefined : await readLastComparison(database.db, url);
  const { attempt, last } = found ?? {};
  return {
    url: url ?? null,
    appliesDecreases,
    lastAttempt: attempt === undefined ? null : { startedAt: attempt.startedAt.toISOString(), error: attempt.error },
    lastComparison:
      last === undefined
        ? null
        : {
            comparedAt: last.comparedAt.toISOString(),
            applied: last.applied.map(mutableDifference),
            appliedVersion: last.appliedVersion,
            ...mutable(last.comparison),
          },
  };
}

/** Throws GatewayError. */
async function compare({ config, backgroundDatabase }: AdminServices, given: string | undefined, signal: AbortSignal) {
  const list = readPublishedList(given ?? (await fetchConfigured(config.priceList.url, signal)));
  const newest = await readNewestCatalogue(backgroundDatabase.db);
  if (newest === undefined) throw noCatalogueYet();
  return { ...newest, comparison: compareWithList(newest.file, list, new Date().toISOString().slice(0, 10)) };
}

async function fetchConfigured(url: string | undefined, signal: AbortSignal): Promise<string> {
  if (url === undefined) throw listNotConfigured();
  try {
    return await fetchPublishedList(url, { signal });
  } catch (error) {
    throw listUnavailable(error);
  }
}

type Wanted = (typeof takeOverBody.static)['changes'][number];

/** Throws GatewayError for what the list does not say, and for large differences that are not confirmed. */
function choose(found: readonly ListedDifference[], wanted: readonly Wanted[]): ChosenDifference[] {
  const byModel = new Map(found.map((difference) => [difference.model, difference]));
  const chosen = wanted.map(({ model, field, to, confirmed }, index) => {
    const difference = byModel.get(model);
    const change = difference?.changes.find((each) => each.field === field && each.to === to);
    if (difference === undefined || change === undefined) throw noLongerDifferent(model, field, index);
    if (change.isLarge && confirmed !== true) throw notConfirmed(index);
    return { model, offer: difference.offer, change };
  });
  return [...Map.groupBy(chosen, ({ model }) => model).values()].flatMap((changes) => {
    const [first] = changes;
    return first === undefined ? [] : [{ ...first, changes: changes.map(({ change }) => change) }];
  });
}

/** As the schemas of responses have them. */
function mutable({ changed, added, ambiguous, unlisted, unreadable, ...comparison }: RenderedComparison) {
  return {
    ...comparison,
    changed: changed.map(mutableDifference),
    added: [...added],
    ambiguous: ambiguous.map(({ model, entries }) => ({ model, entries: [...entries] })),
    unlisted: [...unlisted],
    unreadable: [...unreadable],
  };
}

const mutableDifference = ({ changes, ...difference }: RenderedDifference) => ({
  ...difference,
  changes: [...changes],
});
