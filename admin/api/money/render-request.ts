/** Renders charged requests. Amounts are decimal strings, because a receipt is exact. */
import {
  formatMarkup,
  formatPicoUsd,
  formatPricePerMillion,
  formatUsd,
  type Markup,
  nanoUsd,
} from '../../../shared/money.ts';
import { renderPrices } from '../../catalogue/price-history.ts';
import { itemiseCharge, listedPrices, providerPrices, type UsageEvent } from '../../ledger/queries/itemise-charge.ts';
import type { ListedRequest } from '../../ledger/queries/list-requests.ts';
import type { Receipt } from '../../ledger/queries/read-receipt.ts';
import type { operatorReceiptSchema, receiptSchema, requestSchema } from './requests-schemas.ts';

const finalRank = 2;

export function renderRequest({ event, key }: ListedRequest): typeof requestSchema.static {
  return {
    requestId: event.requestId,
    model: event.model,
    key: { id: event.keyId, name: key?.name ?? null, prefix: key?.prefix ?? null },
    startedAt: event.startedAt.toISOString(),
    chargedAt: event.chargedAt.toISOString(),
    estimated: event.estimated,
    final: event.rank === finalRank,
    ...renderTokens(event),
    charged: formatUsd(nanoUsd(event.costNano)),
  };
}

export function renderReceipt(receipt: Receipt): typeof receiptSchema.static {
  const { event, estimate, price, key, lines, balanceAfterNano } = receipt;
  return {
    ...renderRequest({ event, key: key ?? null }),
    price: {
      version: price.version,
      effectiveFrom: price.effectiveFrom.toISOString(),
      perMillionTokens: renderPrices(listedPrices(price)),
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
    walletEpoch: event.epoch,
    walletSeq: event.walletSeq,
  };
}

function renderCost({ event, price }: Receipt): typeof receiptSchema.static.cost {
  const { parts, exact, rounding, totalNano, unchargedNano, chargedNano } = itemiseCharge(event, price);
  return {
    parts: parts.map((part) => ({
      class: part.tokenClass,
      tokens: part.tokens,
      perMillionTokens: formatPricePerMillion(part.price),
      amount: formatPicoUsd(part.exact),
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
    ...renderTokens(estimate),
    charged: formatUsd(nanoUsd(estimate.costNano)),
  };
}

function renderTokens(event: UsageEvent) {
  const { promptTokens, cachedPromptTokens, cacheWriteTokens, completionTokens, reasoningTokens } = event;
  return { promptTokens, cachedPromptTokens, cacheWriteTokens, completionTokens, reasoningTokens };
}
