/** How many requests the filters match, and their sum: the same number as in the usage of the period. */
import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { NotLoaded } from '../app/components/loaded.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { usePolling } from '../app/live/live.ts';
import { Usd } from '../app/money/money.tsx';
import { rangeOf } from '../app/router/search.ts';
import type { InstantRange } from '../app/time/days.ts';
import { isTooLong } from '../usage/period.ts';
import { usageBetweenQuery } from '../usage/queries.ts';
import { sumUsage } from '../usage/usage-rows.ts';
import { activityTexts } from './activity-texts.ts';
import { instantsOfFilter, type RequestFilter } from './queries.ts';

const pollingMs = 5_000;

/** Nothing without a period: no sum of all time is kept. */
export function RequestSum({ filter }: { filter: RequestFilter }) {
  const instants = instantsOfFilter(filter);
  const days = filter.hour === undefined ? rangeOf(filter) : undefined;
  if (instants === undefined || (days !== undefined && isTooLong(days))) return null;
  return <SumOf instants={instants} filter={filter} />;
}

function SumOf({ instants, filter: { model, key } }: { instants: InstantRange; filter: RequestFilter }) {
  const t = useTexts(activityTexts);
  const query = useQuery({ ...usageBetweenQuery(instants), refetchInterval: usePolling(pollingMs) });
  const { data, error } = query;
  if (data === undefined && error !== null) return <NotLoaded query={query} />;
  if (data === undefined) return <Skeleton height={20} width={240} mb="md" />;
  const { requests, cost } = sumUsage(
    data.usage.filter((row) => (model ?? row.model) === row.model && (key ?? row.keyId) === row.keyId),
  );
  return (
    <Text size="sm" mb="md" className="request-sum" aria-live="polite">
      <span>{t('requests', { count: requests })}</span>
      <strong>
        <Usd amount={cost} />
      </strong>
    </Text>
  );
}
