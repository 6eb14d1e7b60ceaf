/** What waits to be booked, delivered or sent. */
import { Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type Column, DataTable } from '../../app/components/data-table.tsx';
import { type Translate, useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { formatCount } from '../../app/time/format-time.ts';
import { Instant } from '../../app/time/instant.tsx';
import { Section } from '../section.tsx';
import { healthTexts } from './health-texts.ts';
import type { Lag } from './queries.ts';

type T = Translate<NonNullable<(typeof healthTexts)['key']>>;

interface Queue {
  readonly name: 'usage' | 'outbox' | 'mails' | 'rejectedUsage';
  readonly entries: number;
  readonly oldestAt: string | null;
  /** How many shards of Redis have some of it. */
  readonly shards?: number;
}

export function QueueTable({ query }: { query: UseQueryResult<Lag> }) {
  const t = useTexts(healthTexts);
  const language = useLanguage();
  return (
    <Section title={t('queues')}>
      <DataTable
        label={t('queues')}
        columns={columnsOf(t, (value) => formatCount(value, language))}
        rows={query.data && queuesOf(query.data)}
        rowKey={({ name }) => name}
        query={query}
        skeletonRows={4}
        empty={null}
      />
    </Section>
  );
}

function queuesOf({ usage, outbox, mails, rejectedUsage }: Lag): Queue[] {
  return [
    { name: 'usage', entries: usage.entries, oldestAt: usage.oldestAt, shards: usage.shards.length },
    { name: 'outbox', ...outbox },
    { name: 'mails', ...mails },
    { name: 'rejectedUsage', entries: rejectedUsage, oldestAt: null },
  ];
}

function columnsOf(t: T, count: (value: number) => string): Column<Queue>[] {
  return [
    {
      id: 'queue',
      header: t('queue'),
      render: ({ name }) => (
        <div className="operator-cell">
          <Text span inherit fw={500}>
            {t(name)}
          </Text>
          <Text span size="xs" c="dimmed">
            {t(`${name}Text`)}
          </Text>
        </div>
      ),
    },
    {
      id: 'entries',
      header: t('waiting'),
      align: 'right',
      render: ({ entries, shards = 0 }) => (
        <>
          {count(entries)}
          {shards > 1 ? (
            <Text span size="xs" c="dimmed">
              {' '}
              {t('inShards', { count: shards })}
            </Text>
          ) : null}
        </>
      ),
    },
    {
      id: 'oldest',
      header: t('waitingSince'),
      align: 'right',
      render: ({ oldestAt }) => (oldestAt === null ? '—' : <Instant value={oldestAt} as="relative" />),
    },
  ];
}
