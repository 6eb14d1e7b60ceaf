/**
 * Charged requests as a CSV file, newest first: of each its tokens, the prices, and how the charge was made of them, as
 * its receipt says it. Amounts are exact decimals in USD.
 */
import { inArray } from 'drizzle-orm';
import { formatPicoUsd, formatPriceEach, formatPricePerMillion, formatUsd } from '../../../../shared/money.ts';
import { eachUnits, isLater, tokenUnits, type UnitOfTokens } from '../../../../shared/usage/billable-units.ts';
import { usualTier } from '../../../../shared/usage/rates.ts';
import type { DbOrTransaction } from '../../../database/connect.ts';
import type { PriceRow } from '../../../database/rows/price-row.ts';
import { modelPrices } from '../../../database/tables/catalogue.ts';
import { csvLine, textCell } from '../../../http/download.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { type ItemisedCharge, itemiseCharge } from '../../../ledger/queries/itemise-charge.ts';
import { type ListedRequest, listRequests, type RequestPosition } from '../../../ledger/queries/list-requests.ts';
import { renderDimensions } from '../../money/render-request.ts';

const requestsAtOnce = 500;
const finalRank = 2;
const noFilter = { keyId: undefined, model: undefined, from: undefined, to: undefined };

const columnsOfTokens = ({ price }: UnitOfTokens) => [`${price}Tokens`, `${price}PerMillionUsd`, `${price}Usd`];
const laterClasses: ReadonlySet<string> = new Set(tokenUnits.filter(isLater).map(({ price }) => price));

/** New ones are added at the end. */
const columns = [
  'requestId',
  'model',
  'keyId',
  'keyName',
  'keyPrefix',
  'startedAt',
  'chargedAt',
  'final',
  'estimated',
  'priceVersion',
  ...tokenUnits.filter((unit) => !isLater(unit)).flatMap(columnsOfTokens),
  ...['images', 'imageSize', 'imageQuality', 'imageUsd', 'imagesUsd'],
  'exactUsd',
  'roundingUsd',
  'totalUsd',
  'unchargedUsd',
  'chargedUsd',
  ...['projectId', 'projectName'],
  ...['user', 'metadata'],
  ...tokenUnits.filter(isLater).flatMap(columnsOfTokens),
  ...['serviceTier', 'abovePromptTokens'],
  ...eachUnits.flatMap(({ price }) => [`${price}Count`, `${price}PriceUsd`, `${price}Usd`]),
  'repeatsRequestId',
];

/** Each page continues after the last request of the previous one, so that no page costs more than the first. */
export async function* writeRequests(ledger: Ledger, accountId: number): AsyncGenerator<string, void> {
  const prices = new Map<number, PriceRow>();
  let behind: RequestPosition | undefined;
  let text = csvLine(columns);
  for (;;) {
    const page = await listRequests(ledger, { accountId, ...noFilter, behind }, requestsAtOnce);
    await learnPrices(ledger.db, prices, page);
    for (const request of page) text += writeRequest(request, prices);
    yield text;
    text = '';
    const last = page.at(-1)?.event;
    if (last === undefined || page.length < requestsAtOnce) return;
    behind = last;
  }
}

/** Prices never change; an account meets a few hundred of them. */
async function learnPrices(
  db: DbOrTransaction,
  prices: Map<number, PriceRow>,
  page: readonly ListedRequest[],
): Promise<void> {
  const missing = new Set(page.map(({ event }) => event.priceVersion).filter((version) => !prices.has(version)));
  if (missing.size === 0) return;
  const rows = await db
    .select()
    .from(modelPrices)
    .where(inArray(modelPrices.version, [...missing]));
  for (const price of rows) prices.set(price.version, price);
}

function writeRequest(
  { event, key, project, dimensions }: ListedRequest,
  prices: ReadonlyMap<number, PriceRow>,
): string {
  const price = prices.get(event.priceVersion);
  if (price === undefined) throw new Error(`request ${event.requestId} was charged at a price that is missing`);
  const {
    rate,
    parts,
    images,
    units: each,
    exact,
    rounding,
    totalNano,
    unchargedNano,
    chargedNano,
  } = itemiseCharge(event, price);
  return csvLine([
    event.requestId,
    textCell(event.model),
    String(event.keyId),
    textCell(key?.name ?? ''),
    key?.prefix ?? '',
    event.startedAt.toISOString(),
    event.chargedAt.toISOString(),
    String(event.rank === finalRank),
    String(event.estimated),
    String(event.priceVersion),
    ...parts.filter(({ tokenClass }) => !laterClasses.has(tokenClass)).flatMap(writeTokens),
    ...(images === undefined
      ? ['0', '', '', '', '0']
      : [
          ...[String(images.count), images.size, images.quality],
          ...[formatPriceEach(images.price), formatPicoUsd(images.exact)],
        ]),
    formatPicoUsd(exact),
    formatPicoUsd(rounding),
    formatUsd(totalNano),
    formatUsd(unchargedNano),
    formatUsd(chargedNano),
    ...(project === null ? ['', ''] : [String(project.id), textCell(project.name)]),
    ...writeDimensions(dimensions),
    ...parts.filter(({ tokenClass }) => laterClasses.has(tokenClass)).flatMap(writeTokens),
    ...[rate?.tier ?? usualTier, String(rate?.above ?? 0)],
    ...eachUnits.flatMap(({ price: unit }) => writeEach(each.find((of) => of.unit === unit))),
    event.repeats ?? '',
  ]);
}

function writeTokens({ count, price, exact }: ItemisedCharge['parts'][number]): string[] {
  return [String(count), formatPricePerMillion(price), formatPicoUsd(exact)];
}

function writeEach(units: ItemisedCharge['units'][number] | undefined): string[] {
  if (units === undefined) return ['0', '', '0'];
  return [String(units.count), formatPriceEach(units.price), formatPicoUsd(units.exact)];
}

/** Those of `metadata` as JSON. */
function writeDimensions(dimensions: ListedRequest['dimensions']): [user: string, metadata: string] {
  const { user, metadata } = renderDimensions(dimensions);
  return [textCell(user ?? ''), Object.keys(metadata).length === 0 ? '' : textCell(JSON.stringify(metadata))];
}
