/** The running gateway: deployments and their circuits, replicas, and what waits in queues. It updates automatically. */
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { PageHeader } from '../../app/components/page-header.tsx';
import { LiveStatus } from '../../app/components/status.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { choiceOf, present } from '../../app/router/search.ts';
import { CircuitChanges } from './circuit-changes.tsx';
import { DeploymentTable } from './deployment-table.tsx';
import { healthTexts } from './health-texts.ts';
import { HealthTiles } from './health-tiles.tsx';
import { deploymentFilters, healthQuery, lagQuery } from './queries.ts';
import { QueueTable } from './queue-table.tsx';
import { ReplicaTable } from './replica-table.tsx';

/** Live events report circuits, but neither counters nor latencies. */
const pollingMs = 5_000;

export const healthRoute = createLazyRoute('/user/operator/operator/health')({ component: HealthPage });

function HealthPage() {
  const t = useTexts(healthTexts);
  const { show } = healthRoute.useSearch();
  const navigate = healthRoute.useNavigate();
  const health = useQuery({ ...healthQuery, refetchInterval: pollingMs });
  const lag = useQuery({ ...lagQuery, refetchInterval: pollingMs });
  const filter = (value: string) =>
    void navigate({ search: present({ show: choiceOf({ value }, 'value', deploymentFilters) }) });
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} actions={<LiveStatus />} />
      <Stack gap="xl">
        <HealthTiles health={health.data} lag={lag.data} />
        <DeploymentTable query={health} onlyTroubled={show === 'troubled'} onFilter={filter} />
        <CircuitChanges />
        <QueueTable query={lag} />
        <ReplicaTable query={health} />
      </Stack>
    </>
  );
}
