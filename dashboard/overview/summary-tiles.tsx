/** Balance, what requests in flight have reserved of it, today's spend, and the state of the alert. */
import { useQuery } from '@tanstack/react-query';
import { OutdatedNote } from '../app/components/loaded.tsx';
import { StatTile } from '../app/components/stat-tile.tsx';
import { Status } from '../app/components/status.tsx';
import { ErrorState } from '../app/errors/error-state.tsx';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { compareDecimals } from '../app/money/decimal.ts';
import { formatRub } from '../app/money/format-money.ts';
import { Usd } from '../app/money/money.tsx';
import { useMay } from '../app/session/permissions.ts';
import { lastDays, today } from '../app/time/days.ts';
import { usageOfDaysQuery } from '../usage/queries.ts';
import { sumUsage } from '../usage/usage-rows.ts';
import { BalanceTile } from './balance-tile.tsx';
import { overviewTexts } from './overview-texts.ts';
import { alertSettingsQuery, balanceQuery } from './queries.ts';

/** Also beside live events: what requests hold, and give back without a charge, is no event. */
const pollingMs = 5_000;

export function SummaryTiles() {
  const t = useTexts(overviewTexts);
  const balance = useQuery({ ...balanceQuery, refetchInterval: pollingMs });
  const mayTopUp = useMay('payments:manage');
  const seesAlerts = useMay('payments:read');
  const { data, error, refetch } = balance;
  if (data === undefined && error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <OutdatedNote query={balance} />
      <div className="tiles overview-tiles">
        <BalanceTile balance={data} hasTopUp={mayTopUp} />
        <StatTile
          label={t('reserved')}
          value={data && <Usd amount={data.reservedUsd} />}
          detail={data && <Available amount={data.availableUsd} />}
        />
        <TodayTile />
        {seesAlerts ? <AlertTile balanceRub={data?.balanceRubDecimal} /> : null}
      </div>
    </>
  );
}

export function SummarySkeleton() {
  const t = useTexts(overviewTexts);
  const seesAlerts = useMay('payments:read');
  return (
    <div className="tiles overview-tiles">
      {(['balance', 'reserved', 'today', 'alert'] as const).map((label) =>
        label === 'alert' && !seesAlerts ? null : <StatTile key={label} label={t(label)} value={undefined} />,
      )}
    </div>
  );
}

function Available({ amount }: { amount: string }) {
  const t = useTexts(overviewTexts);
  return (
    <span>
      {t('available')} <Usd amount={amount} />
    </span>
  );
}

function TodayTile() {
  const t = useTexts(overviewTexts);
  const query = useQuery(usageOfDaysQuery(lastDays(30), 'day', 'model'));
  const { data } = query;
  const day = today();
  const sum = data && sumUsage(data.usage.filter((row) => row.day === day));
  return (
    <StatTile
      label={t('today')}
      query={query}
      value={sum && <Usd amount={sum.cost} />}
      detail={sum && t('requests', { count: sum.requests })}
    />
  );
}

function AlertTile({ balanceRub }: { balanceRub: string | undefined }) {
  const t = useTexts(overviewTexts);
  const language = useLanguage();
  const query = useQuery(alertSettingsQuery);
  const { data } = query;
  const threshold = data?.lowBalanceThresholdRub ?? '0';
  const isBelow = balanceRub !== undefined && compareDecimals(balanceRub, threshold) < 0;
  const amount = formatRub(threshold, language);
  return (
    <StatTile
      label={t('alert')}
      value={data && t(data.emailNotificationsEnabled ? 'alertOn' : 'alertOff')}
      detail={
        data === undefined ? null : isBelow ? (
          <Status tone="warning">{t('belowThreshold', { amount })}</Status>
        ) : (
          t('threshold', { amount })
        )
      }
      query={query}
      to={isBelow ? '/billing' : '/alerts'}
    />
  );
}
