/**
 * A request is translated before the hold, because the hold is for the size of the translation, and the translation is
 * kept until it is sent, so that the work is done once. Its size is the same at all deployments of a provider.
 */
import type { Deployment } from '../catalogue/catalogue.ts';
import type { Call } from '../request/call.ts';

export interface KeptTranslation<Asked extends Call, Translated> {
  look(call: Asked, deployment: Deployment): Translated;
  /** Drops what was kept: a request may run for minutes after it has been sent. */
  take(call: Asked, deployment: Deployment): Translated;
}

export function keepTranslation<Asked extends Call, Translated>(
  translate: (call: Asked, deployment: Deployment) => Translated,
): KeptTranslation<Asked, Translated> {
  const kept = new WeakMap<Asked, { readonly deployment: Deployment; readonly translated: Translated }>();
  return {
    look(call, deployment) {
      const before = kept.get(call);
      if (before?.deployment.provider === deployment.provider) return before.translated;
      const translated = translate(call, deployment);
      // The deployment that is measured first is asked first.
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
