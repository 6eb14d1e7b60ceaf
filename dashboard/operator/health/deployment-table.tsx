/** Every deployment: whether requests are sent to it, how many fail, and how fast it responds. */
import { SegmentedControl, Text } from '@mantine/core';
import { IconHeartbeat, IconServerOff } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { customsOf } from '../../../shared/languages.ts';
import { type Column, DataTable } from '../../app/components/data-table.tsx';
import { EmptyState } from '../../app/components/empty-state.tsx';
import { type Translate, useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { formatCount } from '../../app/time/format-time.ts';
import { Instant } from '../../app/time/instant.tsx';
import { Section } from '../section.tsx';
import { CircuitStatus } from './circuit-changes.tsx';
import { type DeploymentView, isTroubled, viewDeployments } from './deployments.ts';
import { healthTexts } from './health-texts.ts';
import type { Health } from './queries.ts';

interface DeploymentTableProps {
  readonly query: UseQueryResult<Health>;
  readonly onlyTroubled: boolean;
  readonly onFilter: (value: string) => void;
}

type T = Translate<NonNullable<(typeof healthTexts)['key']>>;

export function DeploymentTable({ query, onlyTroubled, onFilter }: DeploymentTableProps) {
  const t = useTexts(healthTexts);
  const language = useLanguage();
  const deployments = query.data && viewDeployments(query.data);
  const rows = onlyTroubled ? deployments?.filter(isTroubled) : deployments;
  const filter = (
    <SegmentedControl
      size="xs"
      aria-label={t('deployments')}
      value={onlyTroubled ? 'troubled' : 'all'}
      onChange={onFilter}
      data={[
        { value: 'all', label: t('all') },
        { value: 'troubled', label: t('troubled') },
      ]}
    />
  );
  return (
    <Section title={t('deployments')} aside={filter}>
      <DataTable
        label={t('deployments')}
        columns={columnsOf(t, {
          count: (value) => formatCount(value, language),
          share: (value) => new Intl.NumberFormat(customsOf[language].numbers, percent).format(value),
        })}
        rows={rows}
        rowKey={({ deployment }) => deployment}
        query={query}
        skeletonRows={4}
        empty={<NoDeployments health={query.data} />}
      />
    </Section>
  );
}

/** None runs, there are none, or none is in trouble. */
function NoDeployments({ health }: { health: Health | undefined }) {
  const t = useTexts(healthTexts);
  if (health === undefined || health.replicas.length === 0) {
    return <EmptyState icon={IconServerOff} title={t('noReplicas')} text={t('noReplicasText')} />;
  }
  if (viewDeployments(health).length === 0) {
    return <EmptyState icon={IconServerOff} title={t('noDeployments')} text={t('noDeploymentsText')} />;
  }
  return <EmptyState icon={IconHeartbeat} title={t('allWell')} text={t('noneTroubledText')} />;
}

const percent = { style: 'percent', maximumFractionDigits: 2 } as const;

type Format = (value: number) => string;

function columnsOf(t: T, { count, share }: Readonly<Record<'count' | 'share', Format>>): Column<DeploymentView>[] {
  return [
    {
      id: 'deployment',
      header: t('deployment'),
      render: ({ deployment }) => <div className="operator-wide">{deployment}</div>,
    },
    { id: 'state', header: t('state'), render: (view) => <States view={view} t={t} /> },
    { id: 'requests', header: t('requests'), align: 'right', render: ({ requests }) => count(requests) },
    {
      id: 'errors',
      header: t('errors'),
      align: 'right',
      render: ({ requests, failures }) => (requests === 0 ? '—' : share(failures / requests)),
    },
    {
      id: 'latency',
      header: t('latency'),
      align: 'right',
      render: ({ meanLatencyMs }) =>
        meanLatencyMs === null ? '—' : t('milliseconds', { value: count(meanLatencyMs) }),
    },
    { id: 'failure', header: t('lastFailure'), render: ({ lastFailure }) => <Failure failure={lastFailure} /> },
  ];
}

function States({ view: { states, readyAt }, t }: { view: DeploymentView; t: T }) {
  const isMixed = states.length > 1;
  return (
    <div className="operator-cell">
      {states.map(({ state, replicas }) => (
        <CircuitStatus key={state} state={state} {...(isMixed && { replicas })} />
      ))}
      {readyAt === null ? null : (
        <Text span size="xs" c="dimmed">
          {t('again')} <Instant value={readyAt} as="relative" />
        </Text>
      )}
    </div>
  );
}

function Failure({ failure }: { failure: DeploymentView['lastFailure'] }) {
  if (failure === null) return '—';
  return (
    <div className="operator-cell">
      <span>{failure.reason}</span>
      <Text span size="xs" c="dimmed">
        <Instant value={failure.at} as="relative" />
      </Text>
    </div>
  );
}
