/** Every charged request: filters, the sum of what they match, the list, and the receipt of one. */
import { Button } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute, Link } from '@tanstack/react-router';
import { EmptyState } from '../app/components/empty-state.tsx';
import { PageHeader } from '../app/components/page-header.tsx';
import { Pager } from '../app/components/pager.tsx';
import { LiveStatus } from '../app/components/status.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { usePolling } from '../app/live/live.ts';
import { ActivityFilters } from './activity-filters.tsx';
import { activityTexts } from './activity-texts.ts';
import { type RequestFilter, requestsQuery } from './queries.ts';
import { ReceiptPanel } from './receipt-panel.tsx';
import { RequestSum } from './request-sum.tsx';
import { RequestTable } from './request-table.tsx';

export const activityRoute = createLazyRoute('/user/activity')({ component: ActivityPage });

const pollingMs = 5_000;

function ActivityPage() {
  const t = useTexts(activityTexts);
  const { request, cursor, ...filter } = activityRoute.useSearch();
  const navigate = activityRoute.useNavigate();
  const query = useQuery({ ...requestsQuery(filter, cursor), refetchInterval: usePolling(pollingMs) });
  const close = () =>
    void navigate({ search: ({ request: _, ...search }) => search, replace: true, resetScroll: false });
  return (
    <>
      <PageHeader title={t('title')} description={t('text')} actions={<LiveStatus />} />
      <ActivityFilters />
      <RequestSum filter={filter} />
      <RequestTable
        requests={query.data?.requests}
        query={query}
        empty={<NoRequests filter={filter} />}
        pager={
          cursor === undefined && !query.data?.nextCursor ? undefined : (
            <Pager cursor={cursor} nextCursor={query.data?.nextCursor} />
          )
        }
      />
      <ReceiptPanel requestId={request} onClose={close} />
    </>
  );
}

function NoRequests({ filter }: { filter: RequestFilter }) {
  const t = useTexts(activityTexts);
  const isFiltered = Object.keys(filter).length > 0;
  const to = isFiltered ? '/activity' : '/';
  return (
    <EmptyState
      icon={IconActivity}
      title={t(isFiltered ? 'noneTitle' : 'emptyTitle')}
      text={t(isFiltered ? 'noneText' : 'emptyText')}
      action={
        <Button variant="default" component={Link} to={to}>
          {t(isFiltered ? 'clearFilters' : 'emptyAction')}
        </Button>
      }
    />
  );
}
