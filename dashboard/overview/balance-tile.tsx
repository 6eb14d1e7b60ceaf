/** The balance, with its value in roubles. */
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { StatTile } from '../app/components/stat-tile.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { Rub, type RubRate, Usd } from '../app/money/money.tsx';
import { overviewTexts } from './overview-texts.ts';

interface Balance {
  readonly balanceUsd: string;
  readonly balanceRubDecimal: string;
  readonly rubRate: RubRate;
}

interface BalanceTileProps {
  /** Undefined while it loads. */
  readonly balance: Balance | undefined;
  /** Whether it leads to the page where it is topped up. */
  readonly hasTopUp?: boolean;
}

export function BalanceTile({ balance, hasTopUp = false }: BalanceTileProps) {
  const t = useTexts(overviewTexts);
  return (
    <StatTile
      label={t('balance')}
      value={balance && <Usd amount={balance.balanceUsd} />}
      detail={
        balance && (
          <>
            <Rub amount={balance.balanceRubDecimal} rate={balance.rubRate} />
            {hasTopUp ? (
              <>
                {' · '}
                <Anchor component={Link} to="/billing" inherit>
                  {t('topUp')}
                </Anchor>
              </>
            ) : null}
          </>
        )
      }
    />
  );
}
