/** The account's charged requests, as its owner sees them. */
import { Text } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '../../app/components/data-table.tsx';
import { EmptyState } from '../../app/components/empty-state.tsx';
import { Pager } from '../../app/components/pager.tsx';
import { type Translate, useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { Usd } from '../../app/money/money.tsx';
import { formatCount } from '../../app/time/format-time.ts';
import { Instant } from '../../app/time/instant.tsx';
import { accountTexts } from './account-texts.ts';
import { type AccountRequest, accountRequestsQuery } from './queries.ts';

interface RequestTableProps {
  readonly accountId: number;
  readonly cursor: string | undefined;
}

export function RequestTable({ accountId, cursor }: RequestTableProps) {
  const t = useTexts(accountTexts);
  const language = useLanguage();
  const query = useQuery(accountRequestsQuery(accountId, cursor));
  return (
    <DataTable
      label={t('requests')}
      columns={columnsOf(t, (count) => formatCount(count, language))}
      rows={query.data?.requests}
      rowKey={({ requestId }) => requestId}
      query={query}
      empty={<EmptyState icon={IconActivity} title={t('noRequests')} text={t('noRequestsText')} />}
      pager={<Pager cursor={cursor} nextCursor={query.data?.nextCursor} />}
    />
  );
}

type T = Translate<NonNullable<(typeof accountTexts)['key']>>;

function columnsOf(t: T, count: (value: number) => string): Column<AccountRequest>[] {
  return [
    { id: 'time', header: t('time'), render: ({ startedAt }) => <Instant value={startedAt} /> },
    {
      id: 'model',
      header: t('model'),
      render: ({ model, estimated }) => (
        <div className="operator-cell">
          <span>{model}</span>
          {estimated ? (
            <Text span size="xs" c="dimmed">
              {t('estimated')}
            </Text>
          ) : null}
        </div>
      ),
    },
    { id: 'key', header: t('key'), render: ({ key }) => key?.name ?? '—' },
    { id: 'prompt', header: t('promptTokens'), align: 'right', render: (row) => count(row.promptTokens) },
    { id: 'completion', header: t('completionTokens'), align: 'right', render: (row) => count(row.completionTokens) },
    { id: 'cost', header: t('cost'), align: 'right', render: ({ charged }) => <Usd amount={charged} /> },
  ];
}
