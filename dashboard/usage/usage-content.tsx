/** The sums of a period, its chart, and its tables by what it is split by and by day or hour. */
import { Button, Text, Title } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { Link, type LinkProps } from '@tanstack/react-router';
import { DrawnLater } from '../app/components/section.tsx';
import { StatTile } from '../app/components/stat-tile.tsx';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { Usd } from '../app/money/money.tsx';
import { type DayRange, daysOf, hoursOf } from '../app/time/days.ts';
import { formatCount, formatDay } from '../app/time/format-time.ts';
import { chartOf, type Measure } from './chart-data.ts';
import { UsageChart } from './usage-chart.tsx';
import { isDimension, nameOfGroup, type UsageGroup } from './usage-groups.ts';
import { type Slot, sumUsage, type UsageRow } from './usage-rows.ts';
import { GroupTable, SlotTable } from './usage-tables.tsx';
import { usageTexts } from './usage-texts.ts';

interface UsageContentProps {
  readonly rows: readonly UsageRow[];
  readonly range: DayRange;
  readonly slot: Slot;
  readonly group: UsageGroup;
  readonly measure: Measure;
}

export function UsageContent({ rows, range, slot, group, measure }: UsageContentProps) {
  const t = useTexts(usageTexts);
  const language = useLanguage();
  const slots = slot === 'day' ? daysOf(range) : hoursOf(range);
  const slotOf = (row: UsageRow) => row[slot] ?? '';
  const data = chartOf({ rows, slots, slotOf, group, measure });
  const sum = sumUsage(rows);
  const count = (value: number) => formatCount(value, language);
  const linkToSlot = (one: string): LinkProps =>
    slot === 'day'
      ? { to: '/usage', search: (search) => ({ ...search, from: one, to: one }) }
      : { to: '/activity', search: { hour: one } };
  return (
    <>
      <div className="tiles usage-tiles">
        <StatTile label={t('spend')} value={<Usd amount={sum.cost} />} detail={<RangeText range={range} />} />
        <StatTile
          label={t('requests')}
          value={count(sum.requests)}
          detail={
            <Button
              component={Link}
              to="/activity"
              search={{ ...range } as unknown as true}
              variant="transparent"
              size="compact-sm"
              p={0}
              rightSection={<IconArrowRight size={14} aria-hidden />}
            >
              {t('showRequests')}
            </Button>
          }
        />
        <StatTile
          label={t('tokens')}
          value={count(sum.promptTokens + sum.completionTokens)}
          detail={t('tokensDetail', { prompt: count(sum.promptTokens), completion: count(sum.completionTokens) })}
        />
      </div>
      <section className="panel" aria-label={t(measure)}>
        <UsageChart data={data} measure={measure} kind={slot} linkTo={linkToSlot} label={<RangeText range={range} />} />
      </section>
      <DrawnLater>
        <UsageTables {...{ rows, range, slot, group }} sum={sum.cost} linkToSlot={linkToSlot} />
      </DrawnLater>
    </>
  );
}

interface UsageTablesProps extends Omit<UsageContentProps, 'measure'> {
  readonly sum: string;
  readonly linkToSlot: (slot: string) => LinkProps;
}

function UsageTables({ rows, range, slot, group, sum, linkToSlot }: UsageTablesProps) {
  const t = useTexts(usageTexts);
  return (
    <>
      <Section title={isDimension(group) ? nameOfGroup(group, t) : t(`${group}s`)} total={sum}>
        <GroupTable rows={rows} group={group} range={range} />
      </Section>
      <Section title={t(slot === 'day' ? 'days' : 'hours')} total={sum}>
        <SlotTable rows={rows} slot={slot} linkTo={linkToSlot} />
      </Section>
    </>
  );
}

function Section({ title, total, children }: { title: string; total: string; children: React.ReactNode }) {
  return (
    <section>
      <div className="section-title">
        <Title order={2} size="h4">
          {title}
        </Title>
        <Text span size="sm" className="section-sum">
          <Usd amount={total} />
        </Text>
      </div>
      {children}
    </section>
  );
}

function RangeText({ range: { from, to } }: { range: DayRange }) {
  const language = useLanguage();
  return from === to ? formatDay(from, language) : `${formatDay(from, language)} – ${formatDay(to, language)}`;
}
