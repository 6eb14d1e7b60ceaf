/** What was spent in 30 days, by day and model. Each day leads to its usage, and from there to its requests. */
import { Button, Group, Title } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { LateSkeleton, Loaded } from '../app/components/loaded.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { usePolling } from '../app/live/live.ts';
import { daysOf, lastDays } from '../app/time/days.ts';
import { chartOf } from '../usage/chart-data.ts';
import { usageOfDaysQuery } from '../usage/queries.ts';
import { UsageChart } from '../usage/usage-chart.tsx';
import { sumUsage } from '../usage/usage-rows.ts';
import { overviewTexts } from './overview-texts.ts';

const pollingMs = 15_000;

export function SpendPanel() {
  const t = useTexts(overviewTexts);
  const range = lastDays(30);
  const query = useQuery({ ...usageOfDaysQuery(range, 'day', 'model'), refetchInterval: usePolling(pollingMs) });
  const skeleton = (
    <LateSkeleton>
      <div className="usage-chart-skeleton" />
    </LateSkeleton>
  );
  return (
    <section className="panel">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          {t('spend')}
        </Title>
        <Group gap="xs">
          <PanelLink to="/usage" label={t('byDay')} />
          <PanelLink to="/activity" label={t('allRequests')} />
        </Group>
      </Group>
      <Loaded query={query} skeleton={skeleton}>
        {({ usage }) => (
          <UsageChart
            data={chartOf({
              rows: usage,
              slots: daysOf(range),
              slotOf: ({ day = '' }) => day,
              group: 'model',
              measure: 'spend',
            })}
            measure="spend"
            kind="day"
            linkTo={(day) => ({ to: '/usage', search: { from: day, to: day } })}
            label={t('requests', { count: sumUsage(usage).requests })}
          />
        )}
      </Loaded>
    </section>
  );
}

function PanelLink({ to, label }: { to: '/usage' | '/activity'; label: string }) {
  return (
    <Button
      component={Link}
      to={to}
      variant="subtle"
      size="compact-sm"
      rightSection={<IconArrowRight size={14} aria-hidden />}
    >
      {label}
    </Button>
  );
}
