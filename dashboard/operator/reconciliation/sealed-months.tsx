/** The sealed months of the ledger, with the hashes that prove them. */
import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CopyIcon } from '../../app/components/copy-icon.tsx';
import { type Column, DataTable } from '../../app/components/data-table.tsx';
import { Status } from '../../app/components/status.tsx';
import { type Translate, useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { formatCount, formatMonth } from '../../app/time/format-time.ts';
import { Instant } from '../../app/time/instant.tsx';
import { Section } from '../section.tsx';
import { type SealedMonth, sealsQuery } from './queries.ts';
import { reconciliationTexts } from './reconciliation-texts.ts';

type T = Translate<NonNullable<(typeof reconciliationTexts)['key']>>;

/** Enough to tell hashes apart. */
const shownDigits = 16;

interface Shown extends SealedMonth {
  /** `October 2026` */
  readonly name: string;
}

export function SealedMonths() {
  const t = useTexts(reconciliationTexts);
  const language = useLanguage();
  const query = useQuery(sealsQuery);
  return (
    <Section title={t('seals')}>
      <Text size="sm" c="dimmed" mb="sm">
        {t('sealsText')}
      </Text>
      <DataTable
        label={t('seals')}
        columns={columnsOf(t, (value) => formatCount(value, language))}
        rows={query.data?.months.map((month): Shown => ({ ...month, name: formatMonth(month.month, language) }))}
        rowKey={({ month }) => month}
        query={query}
        empty={
          <Text size="sm" c="dimmed">
            {t('noSeals')}
          </Text>
        }
      />
    </Section>
  );
}

function columnsOf(t: T, count: (value: number) => string): Column<Shown>[] {
  return [
    { id: 'month', header: t('month'), render: ({ name }) => name },
    { id: 'result', header: t('lastCompared'), render: (month) => <Result month={month} t={t} /> },
    { id: 'events', header: t('events'), align: 'right', render: ({ events }) => count(events) },
    { id: 'lines', header: t('lines'), align: 'right', render: ({ lines }) => count(lines) },
    { id: 'sealed', header: t('sealed'), render: ({ sealedAt }) => <Instant value={sealedAt} as="day" /> },
    {
      id: 'hash',
      header: t('hash'),
      render: ({ hash, name }) => (
        <Group gap={4} wrap="nowrap">
          <span className="mono" title={hash}>
            {hash.slice(0, shownDigits)}…
          </span>
          <CopyIcon label={t('copyHash', { month: name })} value={hash} />
        </Group>
      ),
    },
  ];
}

function Result({ month: { checkedAt, problems }, t }: { month: SealedMonth; t: T }) {
  if (checkedAt === null) return <Status tone="neutral">{t('notCompared')}</Status>;
  const differs = problems.length > 0;
  return (
    <div className="operator-cell operator-wide">
      <Status tone={differs ? 'bad' : 'good'}>{t(differs ? 'differs' : 'matches')}</Status>
      {problems.map((problem) => (
        <span key={problem}>{problem}</span>
      ))}
      <Text span size="xs" c="dimmed">
        <Instant value={checkedAt} />
      </Text>
    </div>
  );
}
