/**
 * Estimates what a request has used at a deployment, for when the provider does not report it: the client hung up, the
 * stream was interrupted, or this proxy is shutting down. For requests whose usage is reported, only streamed output is
 * weighed.
 */

import { kinds } from '../../shared/catalogue/model-kinds.ts';
import type { TokenPrices } from '../../shared/usage/token-prices.ts';
import type { Call } from '../nouns/call.ts';
import { asRecord } from '../nouns/json/record.ts';
import { isSearching } from '../nouns/requests/hosted-tools.ts';
import type { Usage } from '../nouns/usage.ts';
import type { Calibration } from './calibration.ts';
import type { Deployment, Model } from './catalogue.ts';
import { type PromptWeight, weighPrompt } from './prompt-weight.ts';
import { countTexts, TextScale, weigh } from './text-scale.ts';

export interface MeteredRequest {
  readonly accountId: number;
  readonly call: Call;
  readonly model: Model;
  readonly deployment: Deployment;
}

const pricesReasoning = ({ reasoning, completion }: TokenPrices) => reasoning !== completion;

const effortsWithoutReasoning: ReadonlySet<unknown> = new Set([undefined, null, 'none', 'minimal']);

export class RequestMeter {
  readonly #request: MeteredRequest;
  readonly #calibration: Calibration;
  #scale: TextScale | undefined;
  #promptTokens: number | undefined;
  #promptWeight: PromptWeight | undefined;

  constructor(request: MeteredRequest, calibration: Calibration) {
    this.#request = request;
    this.#calibration = calibration;
  }

  /** Weighs the streamed output. */
  get scale(): TextScale {
    this.#scale ??= new TextScale(this.#calibration.ratios);
    return this.#scale;
  }

  /** An estimate, made on first use. */
  get promptTokens(): number {
    this.#promptTokens ??= this.#calibration.promptTokens(this.#weighPrompt());
    return this.#promptTokens;
  }

  /** For a request whose prompt will be gone: `whole` is the call with it. */
  weighBefore(whole: Call): void {
    this.#promptWeight = weighPrompt(whole, this.#request.deployment.provider);
  }

  outputTokens(texts: readonly string[]): number {
    return Math.round(weigh(countTexts(texts), this.#calibration.ratios));
  }

  /**
   * Whether only the provider can tell what has been used up to now, so that the end has to be awaited for a client that disconnects:
   * something is made whole, or the output is audio, the model reads what its searches find or may reason without showing it, or the
   * prompt has media, which each model counts in its own way. `reported` is what the provider has already reported.
   */
  needsUsage(reported: Usage | null): boolean {
    const { call } = this.#request;
    if (kinds[call.kind].isMadeWhole) return true;
    if (isSearching(call) || (call.kind === 'chat' && call.outputsAudio)) return true;
    return this.#mayReasonInvisibly() || (call.mediaParts > 0 && reported === null);
  }

  /** Called with the provider's usage of the whole response. `outputTexts` are the texts of an unstreamed one. */
  learn(usage: Usage, outputTexts?: () => readonly string[]): void {
    const { call, accountId } = this.#request;
    // What searches have found is counted with the prompt.
    if (kinds[call.kind].isMadeWhole || isSearching(call)) return;
    const voter = { accountId, nowMs: Date.now() };
    const countsMore = this.#calibration.wantsPrompt(call, voter.nowMs);
    if (countsMore) this.#calibration.learnPrompt(this.#weighPrompt(), usage, voter);
    // Tokens of audio are neither those of its transcript nor hidden.
    if (call.kind === 'chat' && call.outputsAudio) return;
    if (outputTexts === undefined) this.#calibration.learnOutput(this.scale.counts, usage, voter);
    else if (countsMore || usage.reasoningTokens > 0) {
      this.#calibration.learnOutput(countTexts(outputTexts()), usage, voter);
    }
  }

  #weighPrompt() {
    const { call, deployment } = this.#request;
    return this.#promptWeight ?? weighPrompt(call, deployment.provider);
  }

  #mayReasonInvisibly(): boolean {
    const { call, model } = this.#request;
    // Reasoning has its own price here, and is charged by the provider's count.
    if (pricesReasoning(model.prices) || model.rates?.some(({ prices }) => pricesReasoning(prices))) return true;
    const { reasonsInvisibly } = this.#calibration;
    if (reasonsInvisibly !== undefined) return reasonsInvisibly;
    const { reasoning_effort: effort, reasoning } = call.body;
    const { effort: otherEffort, max_tokens: budget } = asRecord(reasoning);
    const isOff = effortsWithoutReasoning.has(effort) && effortsWithoutReasoning.has(otherEffort);
    return !isOff || (budget ?? null) !== null;
  }
}
