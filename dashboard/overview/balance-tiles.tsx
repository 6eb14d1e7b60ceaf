/** Balance, what is available of it, and what requests in flight have reserved. */
import type { UseQueryResult } from '@tanstack/react-query';
import { OutdatedNote } from '../app/components/loaded.tsx';
import { StatTile } from '../app/components/stat-tile.tsx';
import { ErrorState } from '../app/errors/error-state.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { Rub, type RubRate, Usd } from '../app/money/money.tsx';
import { overviewTexts } from './overview-texts.ts';

interface Balance {
  readonly balanceUsd: string;
  readonly balanceRubDecimal: string;
  readonly availableUsd: string;
  readonly reservedUsd: string;
  readonly rubRate: RubRate;
}

export function BalanceTiles({ query }: { query: UseQueryResult<Balance> }) {
  const t = useTexts(overviewTexts);
  const { data, error, refetch } = query;
  if (data === undefined && error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <OutdatedNote query={query} />
      <div className="tiles">
        <StatTile
          label={t('balance')}
          value={data && <Usd amount={data.balanceUsd} />}
          detail={data && <Rub amount={data.balanceRubDecimal} rate={data.rubRate} />}
        />
        <StatTile
          label={t('available')}
          value={data && <Usd amount={data.availableUsd} />}
          detail={t('availableDetail')}
        />
        <StatTile
          label={t('reserved')}
          value={data && <Usd amount={data.reservedUsd} />}
          detail={t('reservedDetail')}
        />
      </div>
    </>
  );
}
