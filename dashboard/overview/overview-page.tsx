/** The overview: what there is, and what it is spent on. */
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { PageHeader } from '../app/components/page-header.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { usePolling } from '../app/live/live.ts';
import { BalanceTiles } from './balance-tiles.tsx';
import { overviewTexts } from './overview-texts.ts';
import { balanceQuery } from './queries.ts';

const pollingMs = 15_000;

export const overviewRoute = createLazyRoute('/user/')({ component: OverviewPage });

function OverviewPage() {
  const t = useTexts(overviewTexts);
  const balance = useQuery({ ...balanceQuery, refetchInterval: usePolling(pollingMs) });
  return (
    <>
      <PageHeader title={t('title')} />
      <BalanceTiles query={balance} />
    </>
  );
}
