/** The balance, with its value in roubles. */
import { StatTile } from '../app/components/stat-tile.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { Rub, type RubRate, Usd } from '../app/money/money.tsx';
import { overviewTexts } from './overview-texts.ts';

interface Balance {
  readonly balanceUsd: string;
  readonly balanceRubDecimal: string;
  readonly rubRate: RubRate;
}

/** Undefined while it loads. */
export function BalanceTile({ balance }: { balance: Balance | undefined }) {
  const t = useTexts(overviewTexts);
  return (
    <StatTile
      label={t('balance')}
      value={balance && <Usd amount={balance.balanceUsd} />}
      detail={balance && <Rub amount={balance.balanceRubDecimal} rate={balance.rubRate} />}
    />
  );
}
