/** The account's charged requests, as its owner sees them. */
import { Text } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Column, DataTable } from '../../app/components/data-table.tsx';
import { EmptyState } from '../../app/components/empty-state.tsx';
import { Pager } from '../../app/components/pager.tsx';
import { type Translate, useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { AlignedUsd } from '../../app/money/aligned-usd.tsx';
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
      columns={columnsOf(t, {
        accountId,
        cursor,
        amounts: (query.data?.requests ?? []).map(({ charged }) => charged),
        count: (value) => formatCount(value, language),
      })}
      rows={query.data?.requests}
      rowKey={({ requestId }) => requestId}
      query={query}
      empty={<EmptyState icon={IconActivity} title={t('noRequests')} text={t('noRequestsText')} />}
      pager={<Pager cursor={cursor} nextCursor={query.data?.nextCursor} />}
    />
  );
}

type T = Translate<NonNullable<(typeof accountTexts)['key']>>;

interface Cells extends RequestTableProps {
  /** All of the column. */
  readonly amounts: readonly string[];
  readonly count: (value: number) => string;
}

function columnsOf(t: T, { accountId, cursor, amounts, count }: Cells): Column<AccountRequest>[] {
  return [
    {
      id: 'time',
      header: t('time'),
      render: ({ requestId, chargedAt }) => (
        <Link
          to="/operator/accounts/$id"
          params={{ id: String(accountId) }}
          search={{ tab: 'requests', ...(cursor !== undefined && { cursor }), request: requestId }}
          resetScroll={false}
          className="operator-link"
        >
          <Instant value={chargedAt} />
        </Link>
      ),
    },
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
    {
      id: 'cost',
      header: t('cost'),
      align: 'right',
      render: ({ charged }) => <AlignedUsd amount={charged} among={amounts} />,
    },
  ];
}
