/** The proxies that run now. */
import { IconServerOff } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { type Column, DataTable } from '../../app/components/data-table.tsx';
import { EmptyState } from '../../app/components/empty-state.tsx';
import { type Translate, useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { formatCount } from '../../app/time/format-time.ts';
import { Instant } from '../../app/time/instant.tsx';
import { Section } from '../section.tsx';
import { healthTexts } from './health-texts.ts';
import type { Health, Replica } from './queries.ts';

export function ReplicaTable({ query }: { query: UseQueryResult<Health> }) {
  const t = useTexts(healthTexts);
  const language = useLanguage();
  return (
    <Section title={t('replicas')}>
      <DataTable
        label={t('replicas')}
        columns={columnsOf(t, (value) => formatCount(value, language))}
        rows={query.data?.replicas}
        rowKey={({ replica }) => replica}
        query={query}
        skeletonRows={2}
        empty={<EmptyState icon={IconServerOff} title={t('noReplicas')} text={t('noReplicasText')} />}
      />
    </Section>
  );
}

type T = Translate<NonNullable<(typeof healthTexts)['key']>>;

function columnsOf(t: T, count: (value: number) => string): Column<Replica>[] {
  const sum = ({ deployments }: Replica, name: 'requests' | 'failures') =>
    count(deployments.reduce((total, deployment) => total + deployment[name], 0));
  return [
    { id: 'replica', header: t('replica'), render: ({ replica }) => <span className="mono">{replica}</span> },
    { id: 'requests', header: t('requests'), align: 'right', render: (replica) => sum(replica, 'requests') },
    { id: 'failures', header: t('failures'), align: 'right', render: (replica) => sum(replica, 'failures') },
    {
      id: 'reported',
      header: t('reported'),
      align: 'right',
      render: ({ writtenAt }) => <Instant value={writtenAt} as="relative" />,
    },
  ];
}
