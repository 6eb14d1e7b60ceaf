/** The order of a small request and its charge, always the same, for measuring only the wallet. */
import { perRateLimit } from '../../shared/limits/rate-limits.ts';
import { nanoUsd, picoUsdPerToken } from '../../shared/money.ts';
import { noUnits } from '../../shared/usage/billable-units.ts';
import { encodeChargeDetail } from '../../shared/usage/charge-detail.ts';
import type { FinalCharge, ReserveRequest } from '../../shared/wallet/wallet.ts';

/** The proxy's defaults. */
const rateDefaults = perRateLimit(({ fallback }) => fallback);
const usage = {
  ...noUnits,
  promptTokens: 19,
  completionTokens: 21,
};

export function fixedRequest(of: Pick<ReserveRequest, 'requestId' | 'shard' | 'keyHash' | 'identity'>): ReserveRequest {
  return {
    ...of,
    models: ['bench/whole'],
    amountNano: nanoUsd(200_000n),
    promptPartNano: nanoUsd(10_000n),
    outputPrice: picoUsdPerToken(720_000n),
    outputCap: 256,
    lowestCap: 0,
    rateDefaults,
    rateTokens: 300,
    once: undefined,
    detail: detail(),
  };
}

export function fixedCharge(): FinalCharge {
  return { costNano: nanoUsd(18_540n), detail: detail(), tokens: 40 };
}

function detail(): string {
  const charge = { model: 'bench/whole', deployment: 'scripted/whole', priceVersion: 1, ...usage };
  const rest = { estimated: false, variant: '', dimensions: null, repeats: '' };
  return encodeChargeDetail({ ...charge, ...rest, startedAtMs: Date.now() });
}
