/** Renders charged requests. Amounts are decimal strings, because a receipt is exact. */
import {
  formatMarkup,
  formatPicoUsd,
  formatPriceEach,
  formatPricePerMillion,
  formatUsd,
  type Markup,
  nanoUsd,
} from '../../../shared/money.ts';
import { countsOf } from '../../../shared/usage/billable-units.ts';
import { metadataNameOf } from '../../../shared/usage/dimension-names.ts';
import { listEachPrices } from '../../../shared/usage/each-prices.ts';
import { renderCondition, renderPrices } from '../../catalogue/price-history.ts';
import {
  eachPrices,
  imagePrices,
  listedPrices,
  type PriceRow,
  providerPrices,
  ratesOf,
} from '../../database/rows/price-row.ts';
import type { PriceSide } from '../../database/tables/price-columns.ts';
import { itemiseCharge } from '../../ledger/queries/itemise-charge.ts';
import type { ListedRequest } from '../../ledger/queries/list-requests.ts';
import type { Receipt } from '../../ledger/queries/read-receipt.ts';
import type { UsageEvent } from '../../ledger/queries/usage-event.ts';
import type { listedRequestSchema, operatorReceiptSchema, receiptSchema, requestSchema } from './requests-schemas.ts';

const finalRank = 2;

export function renderListed(listed: ListedRequest): typeof listedRequestSchema.static {
  return { ...renderRequest(listed), booked: formatUsd(listed.bookedNano) };
}

function renderRequest({
  event,
  key,
  project,
  dimensions,
}: Pick<ListedRequest, 'event' | 'key' | 'project' | 'dimensions'>): typeof requestSchema.static {
  return {
    requestId: event.requestId,
    model: event.model,
    key: { id: event.keyId, name: key?.name ?? null, prefix: key?.prefix ?? null },
    project,
    ...renderDimensions(dimensions),
    startedAt: event.startedAt.toISOString(),
    chargedAt: event.chargedAt.toISOString(),
    estimated: event.estimated,
    final: event.rank === finalRank,
    ...countsOf(event),
    charged: formatUsd(nanoUsd(event.costNano)),
    repeats: event.repeats,
  };
}

/** As the request had them. */
export function renderDimensions(dimensions: ListedRequest['dimensions']) {
  const { user = null, ...others } = dimensions ?? {};
  const metadata = Object.entries(others).map(([name, value]) => [metadataNameOf(name) ?? name, value]);
  return { user, metadata: Object.fromEntries(metadata) };
}

export function renderReceipt(receipt: Receipt): typeof receiptSchema.static {
  const { event, estimate, price, key, project, dimensions, lines, balanceAfterNano } = receipt;
  return {
    ...renderRequest({ event, key: key ?? null, project, dimensions }),
    price: {
      version: price.version,
      effectiveFrom: price.effectiveFrom.toISOString(),
      perMillionTokens: renderPrices(listedPrices(price)),
      perImage: imagePrices(price).map(({ size, quality, listed }) => ({
        size,
        quality,
        price: formatPriceEach(listed),
      })),
      perUnit: listEachPrices(eachPrices(price, 'listed')).map((of) => ({
        unit: of.unit,
        price: formatPriceEach(of.price),
      })),
      rates: renderRates(price, 'listed'),
    },
    cost: renderCost(receipt),
    correctedFrom: estimate === undefined ? null : renderEstimate(estimate),
    transactions: lines.map(({ id, createdAt, amountNano }) => ({
      id,
      createdAt: createdAt.toISOString(),
      amount: formatUsd(nanoUsd(amountNano)),
    })),
    balanceAfter: formatUsd(balanceAfterNano),
  };
}

export function renderOperatorReceipt(receipt: Receipt): typeof operatorReceiptSchema.static {
  const { event, price } = receipt;
  return {
    ...renderReceipt(receipt),
    accountId: event.accountId,
    deployment: event.deployment,
    markup: formatMarkup(price.markup as Markup),
    providerPrices: renderPrices(providerPrices(price)),
    providerRates: renderRates(price, 'provider'),
    providerImagePrices: imagePrices(price).map(({ size, quality, provider }) => ({
      size,
      quality,
      price: formatPriceEach(provider),
    })),
    walletEpoch: event.epoch,
    walletSeq: event.walletSeq,
  };
}

function renderRates(price: PriceRow, side: PriceSide) {
  return ratesOf(price, side).map((rate) => ({
    ...renderCondition(rate),
    perMillionTokens: renderPrices(rate.prices),
  }));
}

function renderCost({ event, price }: Receipt): typeof receiptSchema.static.cost {
  const { rate, parts, images, units, exact, rounding, totalNano, unchargedNano, chargedNano } = itemiseCharge(
    event,
    price,
  );
  return {
    rate: rate === undefined ? null : renderCondition(rate),
    parts: parts.map((part) => ({
      class: part.tokenClass,
      tokens: part.count,
      perMillionTokens: formatPricePerMillion(part.price),
      amount: formatPicoUsd(part.exact),
    })),
    images:
      images === undefined
        ? null
        : {
            size: images.size,
            quality: images.quality,
            count: images.count,
            perImage: formatPriceEach(images.price),
            amount: formatPicoUsd(images.exact),
          },
    units: units.map(({ unit, count, price: each, exact: amount }) => ({
      unit,
      count,
      price: formatPriceEach(each),
      amount: formatPicoUsd(amount),
    })),
    exact: formatPicoUsd(exact),
    rounding: formatPicoUsd(rounding),
    total: formatUsd(totalNano),
    uncharged: formatUsd(unchargedNano),
    charged: formatUsd(chargedNano),
  };
}

function renderEstimate(estimate: UsageEvent) {
  return {
    chargedAt: estimate.chargedAt.toISOString(),
    ...countsOf(estimate),
    charged: formatUsd(nanoUsd(estimate.costNano)),
  };
}
