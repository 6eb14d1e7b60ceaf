/** When other prices than a model's usual ones apply: at a service tier, and for long prompts. */
import type { ServiceTier } from '../../../shared/usage/rates.ts';
import { defineTexts } from '../i18n/define-texts.ts';
import { useLanguage, useTexts } from '../i18n/use-texts.ts';
import { formatCount } from '../time/format-time.ts';

const rateTexts = defineTexts('rates', {
  en: {
    default: 'Standard',
    flex: 'Flex tier',
    priority: 'Priority tier',
    above_one: 'prompts above {{shown}} token',
    above_other: 'prompts above {{shown}} tokens',
    onlyAbove_one: 'Prompts above {{shown}} token',
    onlyAbove_other: 'Prompts above {{shown}} tokens',
  },
  ru: {
    default: 'Обычные',
    flex: 'Тариф Flex',
    priority: 'Тариф Priority',
    above_one: 'запрос длиннее {{shown}} токена',
    above_few: 'запрос длиннее {{shown}} токенов',
    above_many: 'запрос длиннее {{shown}} токенов',
    above_other: 'запрос длиннее {{shown}} токена',
    onlyAbove_one: 'Запрос длиннее {{shown}} токена',
    onlyAbove_few: 'Запрос длиннее {{shown}} токенов',
    onlyAbove_many: 'Запрос длиннее {{shown}} токенов',
    onlyAbove_other: 'Запрос длиннее {{shown}} токена',
  },
});

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
