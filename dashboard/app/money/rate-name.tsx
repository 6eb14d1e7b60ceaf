/** When other prices than a model's usual ones apply: at a service tier, and for long prompts. */
import type { ServiceTier } from '../../../shared/usage/rates.ts';
import { useLanguage, useTexts } from '../i18n/use-texts.ts';
import { formatCount } from '../time/format-time.ts';
import { rateTexts } from './rate-texts.ts';

/** As /api names it. */
export interface NamedRate {
  readonly serviceTier: ServiceTier;
  readonly abovePromptTokens: number;
}

/** `Flex tier, prompts above 200,000 tokens` */
export function RateName({ serviceTier, abovePromptTokens: count }: NamedRate) {
  const t = useTexts(rateTexts);
  const language = useLanguage();
  const shown = formatCount(count, language);
  if (count === 0) return t(serviceTier);
  if (serviceTier === 'default') return t('onlyAbove', { count, shown });
  return `${t(serviceTier)}, ${t('above', { count, shown })}`;
}
