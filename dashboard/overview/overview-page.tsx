/** The overview: what there is, and what it is spent on. Until the first request, it shows how to make one instead. */
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { useState } from 'react';
import { Loaded } from '../app/components/loaded.tsx';
import { PageHeader } from '../app/components/page-header.tsx';
import { DrawnLater } from '../app/components/section.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { usePolling } from '../app/live/live.ts';
import { useMay } from '../app/session/permissions.ts';
import { ErrorsPanel } from './errors-panel.tsx';
import { FirstSteps } from './first-steps/first-steps.tsx';
import { overviewTexts } from './overview-texts.ts';
import { firstStepsQuery } from './queries.ts';
import { SpendPanel } from './spend-panel.tsx';
import { SummarySkeleton, SummaryTiles } from './summary-tiles.tsx';

export const overviewRoute = createLazyRoute('/user/')({ component: OverviewPage });

/** The first request is shown within two seconds, also without live events. */
const pollingMs = 1_500;

function OverviewPage() {
  const t = useTexts(overviewTexts);
  const [hasLeft, setLeft] = useState(false);
  const [wasNew, setNew] = useState(false);
  const polling = usePolling(pollingMs);
  const query = useQuery({
    ...firstStepsQuery,
    refetchInterval: ({ state }) => (state.data?.hasRequest ? false : polling),
  });
  if (query.data?.hasRequest === false && !wasNew) setNew(true);
  // Whoever has just made their first request stays to see that it has arrived. It begins with a key.
  const isNew = useMay('keys:manage') && wasNew && !hasLeft;
  return (
    <>
      <PageHeader title={t('title')} {...(isNew && { description: t('firstText') })} />
      <Loaded query={query} skeleton={<SummarySkeleton />}>
        {(steps) =>
          isNew ? (
            <FirstSteps steps={steps} onLeave={() => setLeft(true)} />
          ) : (
            <>
              <SummaryTiles />
              <DrawnLater>
                <SpendPanel />
                <ErrorsPanel />
              </DrawnLater>
            </>
          )
        }
      </Loaded>
    </>
  );
}
