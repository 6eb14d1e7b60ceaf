/**
 * A model of the price list, and what a workload costs with it, as the gateway charges it: each request is summed
 * exactly and rounded up once, to a billionth of a dollar.
 */

import { decimalOf, productOf } from '../app/money/decimal.ts';
import { isPaidInstead } from '../app/money/priced-units.ts';
import type { paths } from '../generated/api.ts';

export type PriceList = paths['/api/models']['get']['responses'][200]['content']['application/json'];
export type Model = PriceList['models'][number];
export type ModelKind = Model['kind'];

/** Whole numbers. */
export interface Workload {
  /** Tokens of the prompt of each request. */
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** How many of a hundred prompt tokens are read from a cache. */
  readonly cachedPercent: number;
  readonly requestsPerMonth: number;
}

export interface EstimatePart {
  readonly name: 'prompt' | 'cachedPrompt' | 'completion';
  readonly tokens: number;
  readonly perMillionTokens: string;
  readonly amount: string;
}

export interface Estimate {
  readonly parts: readonly EstimatePart[];
  /** The price of the request itself; undefined if it has none. */
  readonly request: string | undefined;
  readonly perRequest: string;
  readonly perMonth: string;
  readonly perMonthRub: string;
  /** The prompt and the output together are longer than the model allows. */
  readonly isTooLong: boolean;
}

/** Prices per million tokens have at most six decimals, so the price of a token is a whole number of 10⁻¹² dollars. */
const priceDecimals = 6;
const picoDecimals = priceDecimals + 6;
const nanoDecimals = 9;
const picoPerNano = 10n ** BigInt(picoDecimals - nanoDecimals);

/** Whether it is paid for tokens alone. */
export function isPaidByTokens({ perImage, perUnit }: Model): boolean {
  return perImage.length === 0 && !perUnit.some(isPaidInstead);
}

/** Undefined for models that do not charge by tokens. */
export function estimate(model: Model, workload: Workload, rubPerUsd: string): Estimate | undefined {
  if (!isPaidByTokens(model)) return undefined;
  const { tokensIn, cachedPercent, requestsPerMonth } = workload;
  const tokensOut = model.maxOutputTokens === 0 ? 0 : workload.tokensOut;
  const cached = Math.floor((tokensIn * cachedPercent) / 100);
  const { prompt, cachedPrompt, completion } = pricesFor(model, tokensIn);
  const counted = [
    { name: 'prompt', tokens: tokensIn - cached, perMillionTokens: prompt },
    { name: 'cachedPrompt', tokens: cached, perMillionTokens: cachedPrompt },
    { name: 'completion', tokens: tokensOut, perMillionTokens: completion },
  ] as const;
  const parts = counted.map((part) => ({ ...part, pico: BigInt(part.tokens) * picoPerToken(part.perMillionTokens) }));
  const request = model.perUnit.find(({ unit }) => unit === 'request')?.price;
  const requestPico = request === undefined ? 0n : unitsAt(request, picoDecimals);
  const pico = parts.reduce((sum, part) => sum + part.pico, requestPico);
  const nano = (pico + picoPerNano - 1n) / picoPerNano;
  const perMonth = decimalOf(nano * BigInt(requestsPerMonth), nanoDecimals);
  return {
    parts: parts.map(({ pico: amount, ...part }) => ({ ...part, amount: decimalOf(amount, picoDecimals) })),
    request,
    perRequest: decimalOf(nano, nanoDecimals),
    perMonth,
    perMonthRub: productOf(perMonth, rubPerUsd),
    isTooLong: tokensIn + tokensOut > model.contextTokens,
  };
}

/** Without a service tier: the usual prices, or those of the highest step that the prompt is above. */
function pricesFor({ perMillionTokens, rates }: Model, tokensIn: number): Model['perMillionTokens'] {
  const reached = rates.filter((rate) => rate.serviceTier === 'default' && tokensIn > rate.abovePromptTokens);
  const [highest] = reached.sort((one, other) => other.abovePromptTokens - one.abovePromptTokens);
  return highest?.perMillionTokens ?? perMillionTokens;
}

/** In pico-dollars: a price per million tokens has at most six decimals. */
const picoPerToken = (perMillionTokens: string): bigint => unitsAt(perMillionTokens, priceDecimals);

/** A decimal with at most so many decimals, as a whole number of units of its last one. */
function unitsAt(decimal: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}
