/** The limits of a key in a few words, without those that its spending is shown against. A column would be empty for most. */
import { Text } from '@mantine/core';
import { IconGauge } from '@tabler/icons-react';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { formatUsd } from '../app/money/format-money.ts';
import { keysTexts } from './keys-texts.ts';
import type { ProxyKey } from './queries.ts';

/** Billing keys have none. */
type Limited = {
  readonly [Name in 'limits' | 'allowedIps' | 'dataPolicy' | 'cacheSeconds']: ProxyKey[Name] | undefined;
};

export function KeyLimits({ limits, allowedIps, dataPolicy, cacheSeconds }: Limited) {
  const t = useTexts(keysTexts);
  const language = useLanguage();
  if (limits === undefined) return null;
  const { allowedModels, spendLimits, rateLimits } = limits;
  const words = [
    spendLimits.totalUsd && t('inTotal', { amount: formatUsd(spendLimits.totalUsd, language) }),
    allowedModels && t('modelsOnly', { count: allowedModels.length }),
    allowedIps && t('addressLimited'),
    dataPolicy && t('dataPolicy'),
    cacheSeconds && t('caches'),
    Object.values(rateLimits).some((limit) => limit !== null) && t('rateLimited'),
  ].filter((word) => typeof word === 'string');
  if (words.length === 0) return null;
  return (
    <Text inherit c="dimmed" className="key-detail">
      <IconGauge size={14} stroke={1.6} aria-label={t('limits')} role="img" />
      <span>{words.join(' · ')}</span>
    </Text>
  );
}
