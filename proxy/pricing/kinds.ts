/** What is different about the kinds of models, beyond the types of their calls. */
import type { ModelKind } from '../../shared/catalogue/published-catalogue.ts';

interface KindOfModel {
  /**
   * What a provider has begun to make is finished and billed, whether its client waits or not, and only the provider can tell
   * what it was.
   */
  readonly isMadeWhole: boolean;
}

export const kinds: Readonly<Record<ModelKind, KindOfModel>> = {
  chat: { isMadeWhole: false },
  completion: { isMadeWhole: false },
  embedding: { isMadeWhole: false },
  image: { isMadeWhole: true },
  speech: { isMadeWhole: true },
  transcription: { isMadeWhole: true },
  moderation: { isMadeWhole: false },
};
