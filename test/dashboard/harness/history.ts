/** A history for an account: random requests at the current prices, booked by the code that books real ones. */

import { leastRequestId, makePartitions } from '../../../admin/database/partitions.ts';
import { applyCharges } from '../../../admin/ledger/charges/apply-charges.ts';
import type { Charge } from '../../../admin/ledger/charges/read-usage-entry.ts';
import { costOf, picoUsdPerToken } from '../../../shared/money.ts';
import { countWithoutParts } from '../../../shared/usage/billable-units.ts';
import type { SeededRandom } from '../../harness/seeded-random.ts';
import { detailOf } from '../../harness/wallet/charge-detail.ts';
import type { Harness } from '../../harness.ts';

export interface HistoryOptions {
  readonly accountId: number;
  /** Its keys, each of which makes some of the requests. */
  readonly keyIds: readonly number[];
  readonly requests: number;
  /** They are spread evenly over the time until now. */
  readonly days: number;
  readonly random: SeededRandom;
}

const batchCharges = 1_000;
const dayMs = 86_400_000;

interface PricedModel {
  readonly model: string;
  readonly version: number;
  readonly prompt: bigint;
  readonly cachedPrompt: bigint;
  readonly completion: bigint;
}

/** Redis learns of it with the account's first credit: book it before. */
export async function bookHistory({ database }: Pick<Harness, 'database'>, options: HistoryOptions): Promise<void> {
  const { requests, days } = options;
  const models = await database.sql<PricedModel[]>`
    SELECT DISTINCT ON (model) model, version::int, prompt_pico::bigint AS prompt,
      cached_prompt_pico::bigint AS "cachedPrompt", completion_pico::bigint AS completion
    FROM model_prices WHERE prompt_pico > 0 AND completion_pico > 0 ORDER BY model, version DESC`;
  const end = Date.now();
  const begin = end - days * dayMs;
  for (let at = begin; at < end; at += 28 * dayMs) await makePartitions(database.sql, new Date(at));
  let spentNano = 0n;
  for (let first = 0; first < requests; first += batchCharges) {
    const charges = Array.from({ length: Math.min(batchCharges, requests - first) }, (_, index): Charge => {
      const number = first + index;
      const chargedAt = new Date(begin + Math.floor(((number + 0.5) * (end - begin)) / requests));
      const charge = chargeAt(chargedAt, options, options.random.pick(models));
      spentNano += charge.costNano;
      return { ...charge, walletSeq: number + 1, walletSpentNano: spentNano };
    });
    await applyCharges(database.sql, charges);
  }
}

function chargeAt(chargedAt: Date, { accountId, keyIds, random }: HistoryOptions, priced: PricedModel): Charge {
  const promptTokens = random.integer(1, 20_000);
  const completionTokens = random.integer(1, 2_000);
  const detail = detailOf({
    model: priced.model,
    deployment: 'demo/upstream',
    priceVersion: priced.version,
    promptTokens,
    cachedPromptTokens: random.chance(0.3) ? random.integer(0, promptTokens) : 0,
    completionTokens,
    reasoningTokens: random.chance(0.2) ? random.integer(0, completionTokens) : 0,
    estimated: random.chance(0.02),
    startedAtMs: chargedAt.getTime() - random.integer(200, 20_000),
  });
  const part = (count: number, price: bigint) => ({ count, price: picoUsdPerToken(BigInt(price)) });
  const costNano = costOf([
    part(countWithoutParts(detail, 'promptTokens'), priced.prompt),
    part(detail.cachedPromptTokens, priced.cachedPrompt),
    part(detail.completionTokens, priced.completion),
  ]);
  return {
    kind: 'charge',
    requestId: requestIdAt(chargedAt, random),
    accountId,
    keyId: random.pick(keyIds),
    assignmentId: null,
    rank: 2,
    costNano,
    unchargedNano: 0n,
    detail,
    epoch: 1,
    walletSeq: null,
    walletSpentNano: null,
    chargedAt,
  };
}

function requestIdAt(at: Date, random: SeededRandom): string {
  const hex = (digits: number) =>
    random
      .integer(0, 16 ** digits - 1)
      .toString(16)
      .padStart(digits, '0');
  return `${leastRequestId(at).slice(0, 14)}7${hex(3)}-8${hex(3)}-${hex(6)}${hex(6)}`;
}
