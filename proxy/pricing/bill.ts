/** What a request costs, and what is kept about how that came about. */
import { formatUsd, type NanoUsd } from '../../shared/money.ts';
import { type ChargeDetail, encodeChargeDetail } from '../../shared/usage/charge-detail.ts';
import { formatVariant } from '../../shared/usage/image-prices.ts';
import type { RenderedCharge, Usage } from '../nouns/usage.ts';
import type { Model } from './catalogue.ts';
import { costOfUsage } from './cost.ts';

/** What a request costs, by which usage. */
export interface Bill extends RenderedCharge {
  readonly costNano: NanoUsd;
  /** The provider has not reported the usage. */
  readonly estimated: boolean;
}

export function billOf({ prices }: Model, usage: Usage, estimated: boolean): Bill {
  const costNano = costOfUsage(prices, usage);
  return { usage, estimated, costNano, costUsd: formatUsd(costNano) };
}

interface ChargedRequest extends Pick<Bill, 'usage' | 'estimated'> {
  readonly model: Model;
  /** `provider/upstream-model`, or empty where none was chosen yet. */
  readonly deployment: string;
  readonly startedAtMs: number;
  readonly dimensions: ChargeDetail['dimensions'];
}

/** As it travels with the charge. */
export function chargeDetailOf({
  model,
  deployment,
  usage,
  estimated,
  startedAtMs,
  dimensions,
}: ChargedRequest): string {
  const { version: priceVersion, image } = model.prices;
  const variant = usage.images > 0 && image !== undefined ? formatVariant(image) : '';
  return encodeChargeDetail({
    model: model.id,
    deployment,
    priceVersion,
    ...usage,
    estimated,
    startedAtMs,
    variant,
    dimensions,
  });
}
