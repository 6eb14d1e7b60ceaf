/** How many requests the filters match, and their sum: the same number as in the usage of the period. */
import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { NotLoaded } from '../app/components/loaded.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { usePolling } from '../app/live/live.ts';
import { Usd } from '../app/money/money.tsx';
import { valueIn } from '../usage/usage-groups.ts';
import { sumUsage, type UsageRow } from '../usage/usage-rows.ts';
import { activityTexts } from './activity-texts.ts';
import { isSummed, type RequestFilter, usageOfFilterQuery } from './queries.ts';

const pollingMs = 5_000;

export function RequestSum({ filter }: { filter: RequestFilter }) {
  return isSummed(filter) ? <SumOf filter={filter} /> : null;
}

function SumOf({ filter }: { filter: RequestFilter }) {
  const t = useTexts(activityTexts);
  const query = useQuery({ ...usageOfFilterQuery(filter), refetchInterval: usePolling(pollingMs) });
  const { data, error } = query;
  if (data === undefined && error !== null) return <NotLoaded query={query} />;
  if (data === undefined) return <Skeleton height={20} width={240} mb="md" />;
  const { requests, cost } = sumUsage(data.usage.filter((row) => isOf(row, filter)));
  return (
    <Text size="sm" mb="md" className="request-sum" aria-live="polite">
      <span>{t('requests', { count: requests })}</span>
      <strong>
        <Usd amount={cost} />
      </strong>
    </Text>
  );
}

function isOf(row: UsageRow, { model, key, project, member, dimension, value }: RequestFilter): boolean {
  return (
    (model ?? row.model) === row.model &&
    (key ?? row.keyId) === row.keyId &&
    (project ?? row.projectId) === row.projectId &&
    (member ?? row.memberId) === row.memberId &&
    (dimension === undefined || valueIn(row, dimension) === (value ?? null))
  );
}
