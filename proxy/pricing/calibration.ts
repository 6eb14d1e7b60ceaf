/**
 * What finished requests reveal about a deployment: how its tokenizer differs from o200k_base in each script, what it
 * counts for an image, and whether its model reasons without showing it. Kept in memory, separately in each replica.
 * Until there are votes, the ratio is the deployment's `tokenRatio`.
 *
 * No account can move a ratio alone, and none raises a charge by more than a tenth: see `MedianRatio`.
 */
import { type TokenRatio, type TokenScript, tokenScripts } from '../../shared/catalogue/published-catalogue.ts';
import type { Call } from '../nouns/call.ts';
import type { Usage } from '../nouns/usage.ts';
import type { Deployment } from './catalogue.ts';
import { MedianRatio } from './median-ratio.ts';
import type { PromptWeight } from './prompt-weight.ts';
import { type ByScript, weigh } from './text-scale.ts';

const deploymentsMax = 4_096;
/** Sampling a prompt means counting it, so it is done only now and then. */
const promptIntervalMs = 1_000;
const promptBytesMax = 64 * 1024;
/** The share of one script, or of structure, that a sample needs to count for it. */
const shareMin = 0.6;

/** Hidden output without reported reasoning: above these, it is more than a tokenizer's difference explains. */
const hiddenTokensMin = 200;
const hiddenShareMin = 0.7;
const hiddenMemory = 64;

/** In smaller samples, tokens that the provider adds outweigh its tokenizer; larger ratios are not a tokenizer's. */
const textLimits = { sampleMin: 100, sampleRatioMax: 4, fallMax: 1 / 2.5 };
/** Tokens of an image, a sound or a document; at first what Anthropic counts for an image of typical size. */
const mediaLimits = { initial: 1_600, sampleMin: 1, sampleRatioMax: 1_000, fallMax: 0 };

/** Whose request it is, and when it ended. */
export interface Voter {
  readonly accountId: number;
  readonly nowMs: number;
}

export class Calibration {
  readonly #scripts: readonly MedianRatio[];
  readonly #structure: MedianRatio;
  readonly #media = new MedianRatio(mediaLimits);
  #ratios: ByScript;
  #promptDueAtMs = 0;
  #showsThoughts = false;
  #responsesSinceHidden = Number.POSITIVE_INFINITY;

  constructor(tokenRatio?: TokenRatio) {
    const ratios = typeof tokenRatio === 'object' ? tokenRatio : undefined;
    const initial = Number(ratios === undefined ? (tokenRatio ?? 1) : (ratios.latin ?? 1));
    this.#scripts = tokenScripts.map((script) => {
      const own = ratios?.[script];
      return new MedianRatio({ ...textLimits, initial: ratios === undefined ? initial : Number(own ?? 1) });
    });
    this.#structure = new MedianRatio({ ...textLimits, initial });
    this.#ratios = this.#readRatios();
  }

  /** Undefined if no recent response has shown it. */
  get reasonsInvisibly(): boolean | undefined {
    if (this.#responsesSinceHidden < hiddenMemory) return true;
    return this.#showsThoughts ? false : undefined;
  }

  /** For each script. The array is not changed later. */
  get ratios(): ByScript {
    return this.#ratios;
  }

  /** What finished requests show for each script, without limits; an operator can make it the `tokenRatio`. */
  *measured(): Generator<readonly [script: TokenScript, ratio: number]> {
    for (const [index, script] of tokenScripts.entries()) {
      const ratio = this.#scripts[index]?.measured;
      if (ratio !== undefined) yield [script, ratio];
    }
  }

  promptTokens(weight: PromptWeight): number {
    return Math.round(this.#textTokens(weight) + weight.mediaParts * this.#media.value);
  }

  /** Whether to count the prompt of a finished request to learn from it. */
  wantsPrompt({ bytes, mediaParts }: Call, nowMs: number): boolean {
    if (nowMs < this.#promptDueAtMs || (bytes > promptBytesMax && mediaParts === 0)) return false;
    this.#promptDueAtMs = nowMs + promptIntervalMs;
    return true;
  }

  learnPrompt(weight: PromptWeight, { promptTokens }: Usage, voter: Voter): void {
    const { mediaParts: counted, certain } = weight;
    if (counted === 0) this.#learnText(weight, promptTokens - certain, voter);
    else this.#media.learn({ ...voter, reported: promptTokens - this.#textTokens(weight), counted }, voter.nowMs);
  }

  /** `shown` is the output that the client received, uncalibrated. */
  learnOutput(shown: ByScript, { completionTokens, reasoningTokens }: Usage, voter: Voter): void {
    const hidden = completionTokens - weigh(shown, this.#ratios);
    const hasHidden =
      reasoningTokens > 0
        ? hidden > reasoningTokens / 2
        : hidden > Math.max(hiddenTokensMin, hiddenShareMin * completionTokens);
    this.#responsesSinceHidden = hasHidden ? 0 : this.#responsesSinceHidden + 1;
    if (reasoningTokens > 0) this.#showsThoughts = !hasHidden;
    if (!hasHidden) this.#learnText({ text: shown, structure: 0 }, completionTokens, voter);
  }

  #textTokens({ text, structure, certain }: PromptWeight): number {
    return weigh(text, this.#ratios) + structure * this.#structure.value + certain;
  }

  /** Updates the ratio of the predominant kind of text, and takes those of the other kinds as known. */
  #learnText({ text, structure }: Pick<PromptWeight, 'text' | 'structure'>, reported: number, voter: Voter): void {
    const parts = this.#scripts.map((ratio, script) => ({ ratio, counted: text[script] ?? 0 }));
    parts.push({ ratio: this.#structure, counted: structure });
    const all = parts.reduce((sum, { counted }) => sum + counted, 0);
    const main = parts.find(({ counted }) => counted >= shareMin * all);
    if (main === undefined) return;
    let tokens = reported;
    for (const part of parts) if (part !== main) tokens -= part.counted * part.ratio.value;
    main.ratio.learn({ ...voter, reported: tokens, counted: main.counted }, voter.nowMs);
    this.#ratios = this.#readRatios();
  }

  #readRatios(): ByScript {
    return Float64Array.from(this.#scripts, ({ value }) => value);
  }
}

export class Calibrations {
  readonly #byDeployment = new Map<string, { readonly name: string; readonly calibration: Calibration }>();

  /** Of each deployment and script that has been measured. */
  *measured(): Generator<{ readonly deployment: string; readonly script: TokenScript; readonly ratio: number }> {
    for (const { name, calibration } of this.#byDeployment.values()) {
      for (const [script, ratio] of calibration.measured()) yield { deployment: name, script, ratio };
    }
  }

  of({ name, tokenRatio }: Pick<Deployment, 'name' | 'tokenRatio'>): Calibration {
    // With another ratio in the catalogue it begins again.
    const key = tokenRatio === undefined ? name : `${name} ${JSON.stringify(tokenRatio)}`;
    const known = this.#byDeployment.get(key);
    if (known !== undefined) return known.calibration;
    const calibration = new Calibration(tokenRatio);
    this.#byDeployment.set(key, { name, calibration });
    const [oldest = key] = this.#byDeployment.keys();
    if (this.#byDeployment.size > deploymentsMax) this.#byDeployment.delete(oldest);
    return calibration;
  }
}
