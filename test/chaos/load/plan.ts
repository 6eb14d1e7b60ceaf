/**
 * The plan of one request: its model, its response, what breaks and who leaves. Drawn from the seed; the marker in its
 * prompt identifies it at the provider.
 */
import { costOf, type NanoUsd, picoUsdPerToken } from '../../../shared/money.ts';
import type { ResponsePlan } from '../../harness/providers/truthful-provider.ts';
import type { SeededRandom } from '../../harness/seeded-random.ts';

export interface Plan extends ResponsePlan {
  /** That serves it. */
  readonly model: ChaosModel;
  /** It names `busyModel` first, so that is what its hold is for. */
  readonly namesBusyModel: boolean;
  /** The client's output cap. */
  readonly tokensMax: number;
  /** `leaves` after it has received `leavesAfterTokens`; `impatient` hangs up after `leavesAfterMs` in any case. */
  readonly client: 'stays' | 'leaves' | 'impatient';
  readonly leavesAfterTokens: number;
  readonly leavesAfterMs: number;
}

export const busyModel = 'test/busy';

/** The models of the test catalogue and the busy one, with their prices for the customer. */
const prices = {
  [busyModel]: { prompt: picoUsdPerToken(6_000_000n), completion: picoUsdPerToken(30_000_000n) },
  'test/chat': { prompt: picoUsdPerToken(600_000n), completion: picoUsdPerToken(1_800_000n) },
  'test/priced-output': { prompt: picoUsdPerToken(0n), completion: picoUsdPerToken(10_000_000n) },
  'test/failover': { prompt: picoUsdPerToken(600_000n), completion: picoUsdPerToken(1_800_000n) },
};

export type ChaosModel = keyof typeof prices;

export function costAt(model: ChaosModel, tokens: { prompt: number; completion: number }): NanoUsd {
  const price = prices[model];
  return costOf([
    { count: tokens.prompt, price: price.prompt },
    { count: tokens.completion, price: price.completion },
  ]);
}

let plansMade = 0;

export function drawPlan(random: SeededRandom): Plan {
  const stream = random.chance(0.7);
  const tokens = random.integer(5, 60);
  const mishap = random.next();
  const leaving = random.next();
  plansMade += 1;
  return {
    marker: `m${plansMade}`,
    model: random.pick(['test/chat', 'test/priced-output', 'test/priced-output', 'test/failover'] as const),
    namesBusyModel: random.chance(0.15),
    stream,
    tokensMax: stream && random.chance(0.08) ? Math.ceil(tokens / 2) : 60,
    tokens,
    delayMs: stream ? random.integer(4, 30) : random.integer(5, 300),
    reportsUsage: random.chance(0.8),
    provider: mishap < 0.05 ? 'fails' : mishap < 0.1 ? 'cuts' : stream && mishap < 0.14 ? 'error' : 'answers',
    breaksAfterTokens: random.integer(1, tokens - 1),
    client: stream && leaving < 0.12 ? 'leaves' : leaving < 0.18 ? 'impatient' : 'stays',
    leavesAfterTokens: random.integer(1, tokens),
    leavesAfterMs: random.integer(0, 250),
  };
}

/** True if nothing is planned to go wrong: then only a fault can keep the client from its whole response. */
export function isMeantToSucceed(plan: Plan): boolean {
  return plan.provider === 'answers' && plan.client === 'stays';
}
