/** The balance beside the threshold, and what the next email depends on. */
import { DataList, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../app/components/loaded.tsx';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { usePolling } from '../app/live/live.ts';
import { formatRub } from '../app/money/format-money.ts';
import { Rub, Usd } from '../app/money/money.tsx';
import { balanceQuery } from '../overview/queries.ts';
import { type Outlook, outlookOf } from './alert-settings.ts';
import { alertsTexts } from './alerts-texts.ts';
import type { Settings } from './queries.ts';

const pollingMs = 15_000;

export function NextEmail({ settings }: { settings: Settings }) {
  const t = useTexts(alertsTexts);
  const language = useLanguage();
  const balance = useQuery({ ...balanceQuery, refetchInterval: usePolling(pollingMs) });
  return (
    <Loaded query={balance} skeleton={<Skeleton height={104} />}>
      {(now) => (
        <Stack gap="sm">
          <DataList size="sm" gap={6} labelWidth={120}>
            <Fact label={t('balanceNow')}>
              <Usd amount={now.balanceUsd} /> · <Rub amount={now.balanceRubDecimal} rate={now.rubRate} />
            </Fact>
            <Fact label={t('thresholdNow')}>
              <span className="amount">{formatRub(settings.lowBalanceThresholdRub, language)}</span>
            </Fact>
            <Fact label={t('nextNow')}>
              <OutlookText outlook={outlookOf(settings, now)} hours={settings.notificationIntervalHours} />
            </Fact>
          </DataList>
          <Text size="xs" c="dimmed">
            {t('rules')}
          </Text>
        </Stack>
      )}
    </Loaded>
  );
}

function Fact({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <DataList.Item>
      <DataList.ItemLabel>{label}</DataList.ItemLabel>
      <DataList.ItemValue>{children}</DataList.ItemValue>
    </DataList.Item>
  );
}

function OutlookText({ outlook, hours }: { outlook: Outlook; hours: number }) {
  const t = useTexts(alertsTexts);
  const language = useLanguage();
  const pause = hours === 0 ? t('noPause') : t('pause', { count: hours });
  switch (outlook.state) {
    case 'off':
      return t('outlookOff');
    case 'usedUp':
      return t('outlookUsedUp');
    case 'noThreshold':
      return t('outlookNoThreshold');
    case 'below':
      return `${t('outlookBelow')} ${pause}`;
    case 'above':
      return `${t('outlookAbove', { distance: formatRub(outlook.distance, language) })} ${pause}`;
  }
}
