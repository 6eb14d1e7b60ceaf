/** The limits of a key in a few words, without those that its spending is shown against. */
import { Stack } from '@mantine/core';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { formatUsd } from '../app/money/format-money.ts';
import { keysTexts } from './keys-texts.ts';
import type { ProxyKey } from './queries.ts';

export function KeyLimits({ limits }: { limits: ProxyKey['limits'] | undefined }) {
  const t = useTexts(keysTexts);
  const language = useLanguage();
  if (limits === undefined) return null;
  const { allowedModels, spendLimits, rateLimits } = limits;
  const usd = (amount: string) => formatUsd(amount, language);
  const lines = [
    spendLimits.totalUsd && t('inTotal', { amount: usd(spendLimits.totalUsd) }),
    allowedModels && t('modelsOnly', { count: allowedModels.length }),
    Object.values(rateLimits).some((limit) => limit !== null) && t('rateLimited'),
  ].filter((line) => typeof line === 'string');
  if (lines.length === 0) return t('noLimits');
  return (
    <Stack gap={0}>
      {lines.map((line) => (
        <span key={line} className="amount">
          {line}
        </span>
      ))}
    </Stack>
  );
}
