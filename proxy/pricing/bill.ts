/** What a request costs, and what is kept about how that came about. */
import { formatUsd, type NanoUsd } from '../../shared/money.ts';
import { type ChargeDetail, encodeChargeDetail } from '../../shared/usage/charge-detail.ts';
import { formatVariant } from '../../shared/usage/image-prices.ts';
import { formatRate } from '../../shared/usage/rates.ts';
import type { RenderedCharge, Usage } from '../nouns/usage.ts';
import type { Model } from './catalogue.ts';
import { costOfUsage, countPriced } from './cost.ts';
import { appliedRate } from './price-call.ts';

/** What a request costs, by which usage. */
export interface Bill extends RenderedCharge {
  readonly costNano: NanoUsd;
  /** The provider has not reported the usage. */
  readonly estimated: boolean;
}

export function billOf(model: Model, used: Usage, estimated: boolean): Bill {
  const usage = countPriced(model, used);
  const costNano = costOfUsage(model, usage);
  return { usage, estimated, costNano, costUsd: formatUsd(costNano) };
}

interface ChargedRequest extends Pick<Bill, 'usage' | 'estimated'> {
  readonly model: Model;
  /** `provider/upstream-model`, or empty where none was chosen yet. */
  readonly deployment: string;
  readonly startedAtMs: number;
  readonly dimensions: ChargeDetail['dimensions'];
  /** The request whose stored response it is answered with. */
  readonly repeats?: string;
}

/** As it travels with the charge. */
export function chargeDetailOf({
  model,
  deployment,
  usage,
  estimated,
  startedAtMs,
  dimensions,
  repeats = '',
}: ChargedRequest): string {
  const { version: priceVersion } = model.prices;
  return encodeChargeDetail({
    model: model.id,
    deployment,
    priceVersion,
    ...usage,
    estimated,
    startedAtMs,
    variant: variantOf(model, usage),
    dimensions,
    repeats,
  });
}

/** Which of the model's prices applied; empty for the usual ones. */
function variantOf(model: Model, usage: Usage): string {
  const { image } = model.prices;
  if (usage.images > 0 && image !== undefined) return formatVariant(image);
  const rate = appliedRate(model, usage);
  return rate === undefined ? '' : formatRate(rate);
}
