/**
 * A request is translated before the hold, because the hold depends on the size of the translation, which is kept until
 * it is sent so that the work is done once. The size is the same for all deployments of a provider.
 */
import type { Call } from '../nouns/call.ts';
import type { Deployment } from '../pricing/catalogue.ts';

export interface CachedTranslation<Source extends Call, Translated> {
  peek(call: Source, deployment: Deployment): Translated;
  /** Removes what was kept: a request may run for minutes after it has been sent. */
  take(call: Source, deployment: Deployment): Translated;
}

export function cacheTranslation<Source extends Call, Translated>(
  translate: (call: Source, deployment: Deployment) => Translated,
): CachedTranslation<Source, Translated> {
  const kept = new WeakMap<Source, { readonly deployment: Deployment; readonly translated: Translated }>();
  return {
    peek(call, deployment) {
      const before = kept.get(call);
      if (before?.deployment.provider === deployment.provider) return before.translated;
      const translated = translate(call, deployment);
      // The deployment that is measured first is also tried first.
      if (before === undefined) kept.set(call, { deployment, translated });
      return translated;
    },
    take(call, deployment) {
      const before = kept.get(call);
      kept.delete(call);
      return before?.deployment === deployment ? before.translated : translate(call, deployment);
    },
  };
}
