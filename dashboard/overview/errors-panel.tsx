/** Which requests failed in 30 days, by the code that the client was given. */
import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '../app/components/data-table.tsx';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { usePolling } from '../app/live/live.ts';
import { formatCount, formatDay } from '../app/time/format-time.ts';
import { overviewTexts } from './overview-texts.ts';
import { type FailedRequests, failedRequestsQuery } from './queries.ts';

const pollingMs = 30_000;

export function ErrorsPanel() {
  const t = useTexts(overviewTexts);
  const language = useLanguage();
  const query = useQuery({ ...failedRequestsQuery, refetchInterval: usePolling(pollingMs) || pollingMs });
  const columns: Column<CodeSum>[] = [
    { id: 'code', header: t('code'), render: ({ code }) => <span className="mono">{code}</span> },
    {
      id: 'lastDay',
      header: t('lastDay'),
      render: ({ lastDay }) => <span className="no-wrap">{formatDay(lastDay, language)}</span>,
    },
    { id: 'count', header: t('failed'), align: 'right', render: ({ count }) => formatCount(count, language) },
  ];
  return (
    <section className="panel errors-panel">
      <Title order={2} size="h4" mb="xs">
        {t('errors')}
      </Title>
      <DataTable
        label={t('errors')}
        columns={columns}
        rows={query.data && sumByCode(query.data)}
        rowKey={({ code }) => code}
        query={query}
        empty={
          <Text size="sm" c="dimmed">
            {t('noErrors')}
          </Text>
        }
        skeletonRows={1}
      />
    </section>
  );
}

interface CodeSum {
  readonly code: string;
  readonly count: number;
  readonly lastDay: string;
}

/** The most frequent first. The newest day of a code is the first in the response. */
function sumByCode({ errors }: FailedRequests): readonly CodeSum[] {
  const sums = new Map<string, CodeSum>();
  for (const { code, count, day } of errors) {
    const { count: before = 0, lastDay = day } = sums.get(code) ?? {};
    sums.set(code, { code, count: before + count, lastDay });
  }
  return [...sums.values()].sort((one, other) => other.count - one.count);
}
