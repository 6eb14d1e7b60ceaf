/**
 * The kinds of models, and what is different about each beyond the types of its calls. A proxy leaves out models of a kind that
 * it does not know.
 */
import { type EachPrice, type TokenPrice, tokenUnits } from '../usage/billable-units.ts';

export interface KindOfModel {
  /**
   * What a provider has begun to make is finished and billed, whether its client waits or not, and only the provider can tell
   * what it was.
   */
  readonly isMadeWhole: boolean;
  /** Whether it generates tokens. Images are not paid for by them. */
  readonly hasOutputTokens: boolean;
  /** The prices per token that are ever charged, if not all. */
  readonly tokenPrices?: readonly TokenPrice[];
  /** The price that such a model may have instead of prices per token. */
  readonly paidBy: EachPrice | undefined;
  /** The prices that such a model may have in addition, and no other kind. */
  readonly alsoPaidBy?: readonly EachPrice[];
}

/** Only what makes images from others is billed for the tokens of these. */
const ofText: readonly TokenPrice[] = tokenUnits.flatMap(({ price }) => (price === 'imagePrompt' ? [] : [price]));

export const kinds = {
  chat: {
    isMadeWhole: false,
    hasOutputTokens: true,
    tokenPrices: ofText,
    paidBy: undefined,
    alsoPaidBy: ['webSearch'],
  },
  completion: { isMadeWhole: false, hasOutputTokens: true, tokenPrices: ofText, paidBy: undefined },
  embedding: { isMadeWhole: false, hasOutputTokens: false, paidBy: undefined },
  image: { isMadeWhole: true, hasOutputTokens: false, tokenPrices: ['prompt', 'imagePrompt'], paidBy: undefined },
  speech: { isMadeWhole: true, hasOutputTokens: true, tokenPrices: ['prompt', 'completion'], paidBy: 'character' },
  transcription: {
    isMadeWhole: true,
    hasOutputTokens: true,
    tokenPrices: ['prompt', 'audioPrompt', 'completion'],
    paidBy: 'second',
  },
  moderation: { isMadeWhole: false, hasOutputTokens: false, paidBy: undefined },
  rerank: { isMadeWhole: false, hasOutputTokens: false, tokenPrices: ['prompt'], paidBy: 'search' },
} as const satisfies Readonly<Record<string, KindOfModel>>;

export type ModelKind = keyof typeof kinds;
export const modelKinds = Object.keys(kinds) as ModelKind[];
