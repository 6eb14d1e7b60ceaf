/**
 * Usage of any period by day or hour, split by model, key, project, member or a dimension: in a chart, and in tables that add up to the
 * same sum.
 */
import { Button } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute, Link } from '@tanstack/react-router';
import { CsvButton } from '../app/components/csv-button.tsx';
import { EmptyState } from '../app/components/empty-state.tsx';
import { LateSkeleton, Loaded } from '../app/components/loaded.tsx';
import { PageHeader } from '../app/components/page-header.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { usePolling } from '../app/live/live.ts';
import { type DayRange, timeZone } from '../app/time/days.ts';
import { daysMax, isTooLong, shownRange, slotOfRange } from './period.ts';
import { usageFile, usageOfDaysQuery } from './queries.ts';
import { UsageContent } from './usage-content.tsx';
import { UsageFilters } from './usage-filters.tsx';
import { usageTexts } from './usage-texts.ts';

export const usageRoute = createLazyRoute('/user/usage')({ component: UsagePage });

const pollingMs = 15_000;

function UsagePage() {
  const t = useTexts(usageTexts);
  const { by = 'model', ...search } = usageRoute.useSearch();
  const range = shownRange(search);
  const slot = slotOfRange(range);
  const name = `usage-${range.from}-${range.to}.csv`;
  const actions = isTooLong(range) ? null : <CsvButton fileName={name} path={usageFile(range, slot, by)} />;
  return (
    <>
      <PageHeader title={t('title')} description={t('zone', { zone: timeZone() })} actions={actions} />
      <UsageFilters range={range} />
      {isTooLong(range) ? (
        <EmptyState icon={IconChartBar} title={t('emptyTitle')} text={t('tooLong', { count: daysMax })} />
      ) : (
        <Usage range={range} />
      )}
    </>
  );
}

function Usage({ range }: { range: DayRange }) {
  const t = useTexts(usageTexts);
  const { by = 'model', show = 'spend', from } = usageRoute.useSearch();
  const hasRange = from !== undefined;
  const slot = slotOfRange(range);
  const query = useQuery({ ...usageOfDaysQuery(range, slot, by), refetchInterval: usePolling(pollingMs) });
  const skeleton = (
    <LateSkeleton>
      <div className="usage-chart-skeleton" />
    </LateSkeleton>
  );
  return (
    <Loaded query={query} skeleton={skeleton}>
      {({ usage }) =>
        usage.length === 0 ? (
          <EmptyState
            icon={IconChartBar}
            title={t('emptyTitle')}
            text={t('emptyText')}
            action={
              <Button variant="default" component={Link} to={hasRange ? '/usage' : '/'}>
                {t(hasRange ? 'last30' : 'toOverview')}
              </Button>
            }
          />
        ) : (
          <UsageContent rows={usage} {...{ range, slot, group: by, measure: show }} />
        )
      }
    </Loaded>
  );
}
