/**
 * Counts the tokens of generated text as it passes, in o200k_base, and calibrates the count to the tokenizer of the
 * deployment. A text may be split anywhere. Choices are counted separately, as their chunks alternate.
 */
import { tokenScripts } from '../../shared/catalogue/published-catalogue.ts';
import { TokenCounter } from './tokenizer/token-counter.ts';

/** Numbers of each script, in the order of `tokenScripts`: tokens of o200k_base, or what the deployment counts for each. */
export type ByScript = Float64Array;

export const plainRatios: ByScript = new Float64Array(tokenScripts.length).fill(1);

export class TextScale {
  readonly #ratios: ByScript;
  readonly #texts: TokenCounter[] = [];
  readonly #byChoice = new Map<number, TokenCounter>();
  #latest: TokenCounter | undefined;
  #latestChoice = 0;

  constructor(ratios: ByScript = plainRatios) {
    this.#ratios = ratios;
  }

  /** Calibrated. Text of any kind is at least one token. */
  get tokens(): number {
    let tokens = 0;
    let isEmpty = true;
    for (const text of this.#texts) {
      tokens += text.weighedBy(this.#ratios);
      isEmpty &&= text.isEmpty;
    }
    return isEmpty ? 0 : Math.max(1, Math.round(tokens));
  }

  /** At least as many, without counting the words that have not ended. */
  get tokensMax(): number {
    let tokens = 0;
    for (const text of this.#texts) tokens += text.weighedAtMost(this.#ratios);
    return Math.ceil(tokens);
  }

  /** Uncalibrated. */
  get counts(): ByScript {
    const counts = new Float64Array(tokenScripts.length);
    for (const text of this.#texts) addTo(counts, text.counts);
    return counts;
  }

  add(text: string, choice = 0): void {
    this.#textOf(choice).add(text);
  }

  /** Adds bytes that are known to be ASCII. */
  addAscii(bytes: Uint8Array, start: number, end: number, choice = 0): void {
    this.#textOf(choice).addAscii(bytes, start, end);
  }

  #textOf(choice: number): TokenCounter {
    if (choice === this.#latestChoice && this.#latest !== undefined) return this.#latest;
    const text = this.#byChoice.get(choice) ?? this.#begin(choice);
    this.#latest = text;
    this.#latestChoice = choice;
    return text;
  }

  #begin(choice: number): TokenCounter {
    const text = new TokenCounter();
    this.#texts.push(text);
    this.#byChoice.set(choice, text);
    return text;
  }
}

/** The uncalibrated tokens of separate texts. */
export function countTexts(texts: readonly string[]): ByScript {
  const counts = new Float64Array(tokenScripts.length);
  for (const text of texts) {
    const counter = new TokenCounter();
    counter.add(text);
    addTo(counts, counter.counts);
  }
  return counts;
}

export function addTo(sum: ByScript, counts: ByScript): void {
  for (let script = 0; script < sum.length; script += 1) sum[script] = (sum[script] ?? 0) + (counts[script] ?? 0);
}

/** Calibrated tokens, not rounded. */
export function weigh(counts: ByScript, ratios: ByScript = plainRatios): number {
  let tokens = 0;
  for (let script = 0; script < counts.length; script += 1) tokens += (counts[script] ?? 0) * (ratios[script] ?? 1);
  return tokens;
}
