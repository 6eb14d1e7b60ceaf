/** The account's money: what there is, what of it can be spent, and what came and went. */
import { StatTile } from '../../app/components/stat-tile.tsx';
import { useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { formatUsd } from '../../app/money/format-money.ts';
import { Usd } from '../../app/money/money.tsx';
import { accountTexts } from './account-texts.ts';
import type { Account } from './queries.ts';

export function AccountTiles({ account: { balance, credited, spent, wallet } }: { account: Account }) {
  const t = useTexts(accountTexts);
  const language = useLanguage();
  const unknown = wallet === null ? t('walletUnknown') : undefined;
  return (
    <div className="tiles">
      <StatTile label={t('balance')} value={<Usd amount={balance} />} detail={t('balanceDetail')} />
      <StatTile
        label={t('available')}
        value={wallet === null ? '—' : <Usd amount={wallet.available} />}
        detail={unknown ?? t('availableDetail')}
      />
      <StatTile
        label={t('reserved')}
        value={wallet === null ? '—' : <Usd amount={wallet.reserved} />}
        detail={unknown ?? t('reservedDetail')}
      />
      <StatTile
        label={t('spent')}
        value={<Usd amount={spent} />}
        detail={t('spentDetail', { amount: formatUsd(credited, language) })}
      />
    </div>
  );
}
