/** Whether the wallets agree with the ledger: the last comparison, and a new one on demand. */
import { Button, Group, Skeleton, Stack } from '@mantine/core';
import { IconRefresh, IconScale } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { EmptyState } from '../../app/components/empty-state.tsx';
import { Loaded } from '../../app/components/loaded.tsx';
import { notifyDone, notifyFailed } from '../../app/components/notify.ts';
import { PageHeader } from '../../app/components/page-header.tsx';
import { useDescribeError } from '../../app/errors/error-state.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { reconciliationQuery, runReconciliation } from './queries.ts';
import { ReconciliationReport } from './reconciliation-report.tsx';
import { reconciliationTexts } from './reconciliation-texts.ts';
import { SealedMonths } from './sealed-months.tsx';

const pollingMs = 30_000;

export const reconciliationRoute = createLazyRoute('/user/operator/operator/reconciliation')({
  component: ReconciliationPage,
});

function ReconciliationPage() {
  const t = useTexts(reconciliationTexts);
  const query = useQuery({ ...reconciliationQuery, refetchInterval: pollingMs });
  const run = useRun();
  const button = (
    <Button leftSection={<IconRefresh size={16} aria-hidden />} loading={run.isPending} onClick={() => run.mutate()}>
      {t('run')}
    </Button>
  );
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} actions={button} />
      <Stack gap="xl">
        <Loaded query={query} skeleton={<ReportSkeleton />}>
          {(report) =>
            report === null ? (
              <EmptyState icon={IconScale} title={t('emptyTitle')} text={t('emptyText')} />
            ) : (
              <ReconciliationReport report={report} />
            )
          }
        </Loaded>
        <SealedMonths />
      </Stack>
    </>
  );
}

function useRun() {
  const t = useTexts(reconciliationTexts);
  const queries = useQueryClient();
  const describeError = useDescribeError();
  return useMutation({
    mutationFn: runReconciliation,
    onSuccess: (report) => {
      queries.setQueryData(reconciliationQuery.queryKey, report);
      notifyDone(t(report.ok ? 'ranWell' : 'ranBadly'));
    },
    onError: (error) => notifyFailed(describeError(error)),
  });
}

function ReportSkeleton() {
  return (
    <Stack gap="lg">
      <div className="tiles">
        {[1, 2, 3, 4].map((tile) => (
          <Skeleton key={tile} height={116} radius={12} />
        ))}
      </div>
      <Group>
        <Skeleton height={180} />
      </Group>
    </Stack>
  );
}
