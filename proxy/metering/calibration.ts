/**
 * What finished requests reveal about a deployment: the ratio of its tokens to ours, what it counts for an image, and
 * whether its model reasons without showing it. Kept in memory, separately in each replica. Until there are samples,
 * the ratio is 1.
 *
 * No single request can move a ratio far: each counts for a few thousand tokens at most, outliers do not count at all,
 * and a ratio never leaves its bounds.
 */
import type { Call } from '../request/call.ts';
import type { PromptWeight } from './prompt-weight.ts';
import type { Ratios } from './text-scale.ts';
import type { Usage } from './usage.ts';

const deploymentsMax = 4_096;
/** Sampling a prompt means weighing it, so it is done only now and then. */
const promptIntervalMs = 1_000;
const promptBytesMax = 64 * 1024;
/** In smaller samples, tokens that the provider adds outweigh its tokenizer. */
const sampleTokensMin = 200;
const sampleTokensMax = 4_000;
/** The weight of the initial ratio of 1, in tokens. */
const priorTokens = 4_000;
/** Beyond this, older samples count less. */
const memoryTokens = 64_000;
const ratioMax = 2.5;
const sampleRatioMax = 4;
/** The share of one kind of text that a sample needs to count for that kind. */
const shareMin = 0.6;

/** Hidden output without reported reasoning: above these, it is more than a tokenizer's difference explains. */
const hiddenTokensMin = 200;
const hiddenShareMin = 0.7;
const hiddenMemory = 64;

/** What Anthropic counts for an image of typical size. */
const defaultMediaTokens = 1_600;
const mediaTokensMax = 65_536;
const mediaMemory = 64;

/** A running ratio of reported to weighed tokens. */
class Ratio {
  #reported = priorTokens;
  #weighed = priorTokens;

  get value(): number {
    return clamp(this.#reported / this.#weighed, { least: 1 / ratioMax, most: ratioMax });
  }

  learn(reported: number, weighed: number): void {
    const ratio = reported / weighed;
    if (weighed < sampleTokensMin || !(ratio >= 1 / sampleRatioMax && ratio <= sampleRatioMax)) return;
    const tokens = Math.min(weighed, sampleTokensMax);
    this.#reported += tokens * ratio;
    this.#weighed += tokens;
    if (this.#weighed <= memoryTokens) return;
    this.#reported /= 2;
    this.#weighed /= 2;
  }
}

export class Calibration {
  readonly #latin = new Ratio();
  readonly #other = new Ratio();
  readonly #structure = new Ratio();
  #mediaTokens = 0;
  #mediaParts = 0;
  #promptDueAtMs = 0;
  #showsThoughts = false;
  #answersSinceHidden = Number.POSITIVE_INFINITY;

  /** Undefined if no recent answer has shown it. */
  get reasonsInvisibly(): boolean | undefined {
    if (this.#answersSinceHidden < hiddenMemory) return true;
    return this.#showsThoughts ? false : undefined;
  }

  get ratios(): Ratios {
    return { latin: this.#latin.value, other: this.#other.value };
  }

  promptTokens(weight: PromptWeight): number {
    return Math.round(this.#textTokens(weight) + weight.mediaParts * this.#tokensOfMediaPart);
  }

  /** Whether to weigh the prompt of a finished request to learn from it. */
  wantsPrompt({ bytes, mediaParts }: Call, nowMs: number): boolean {
    if (nowMs < this.#promptDueAtMs || (bytes > promptBytesMax && mediaParts === 0)) return false;
    this.#promptDueAtMs = nowMs + promptIntervalMs;
    return true;
  }

  learnPrompt(weight: PromptWeight, { promptTokens }: Usage): void {
    if (weight.mediaParts > 0) this.#learnMedia(promptTokens - this.#textTokens(weight), weight.mediaParts);
    else this.#learnText(weight, promptTokens - weight.certain);
  }

  /** `shown` is the output that the client received, uncalibrated. */
  learnOutput(shown: Ratios, { completionTokens, reasoningTokens }: Usage): void {
    const { latin, other } = this.ratios;
    const hidden = completionTokens - shown.latin * latin - shown.other * other;
    const hasHidden =
      reasoningTokens > 0
        ? hidden > reasoningTokens / 2
        : hidden > Math.max(hiddenTokensMin, hiddenShareMin * completionTokens);
    this.#answersSinceHidden = hasHidden ? 0 : this.#answersSinceHidden + 1;
    if (reasoningTokens > 0) this.#showsThoughts = !hasHidden;
    if (!hasHidden) this.#learnText({ ...shown, structure: 0 }, completionTokens);
  }

  get #tokensOfMediaPart(): number {
    if (this.#mediaParts === 0) return defaultMediaTokens;
    return clamp(this.#mediaTokens / this.#mediaParts, { least: 0, most: mediaTokensMax });
  }

  #textTokens({ latin, other, structure, certain }: PromptWeight): number {
    return latin * this.#latin.value + other * this.#other.value + structure * this.#structure.value + certain;
  }

  /** Updates the ratio of the predominant kind of text, and takes those of the other kinds as known. */
  #learnText({ latin, other, structure }: Pick<PromptWeight, 'latin' | 'other' | 'structure'>, reported: number): void {
    const parts = [
      { ratio: this.#latin, weighed: latin },
      { ratio: this.#other, weighed: other },
      { ratio: this.#structure, weighed: structure },
    ];
    const main = parts.find(({ weighed }) => weighed >= shareMin * (latin + other + structure));
    if (main === undefined) return;
    let tokens = reported;
    for (const part of parts) if (part !== main) tokens -= part.weighed * part.ratio.value;
    main.ratio.learn(tokens, main.weighed);
  }

  #learnMedia(tokens: number, parts: number): void {
    this.#mediaTokens += Math.max(0, tokens);
    this.#mediaParts += parts;
    if (this.#mediaParts <= mediaMemory) return;
    this.#mediaTokens /= 2;
    this.#mediaParts /= 2;
  }
}

export class Calibrations {
  readonly #byDeployment = new Map<string, Calibration>();

  of(deployment: string): Calibration {
    const known = this.#byDeployment.get(deployment);
    if (known !== undefined) return known;
    const calibration = new Calibration();
    this.#byDeployment.set(deployment, calibration);
    const [oldest = deployment] = this.#byDeployment.keys();
    if (this.#byDeployment.size > deploymentsMax) this.#byDeployment.delete(oldest);
    return calibration;
  }
}

function clamp(value: number, { least, most }: { least: number; most: number }): number {
  return Math.min(most, Math.max(least, value));
}
