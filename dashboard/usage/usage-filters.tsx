/** What the page of usage shows: its period, and how it is split. All of it is in the address. */
import { ActionIcon, Group, SegmentedControl, Select, Stack, Text } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useId } from 'react';
import { RangeField } from '../app/components/fields/range-field.tsx';
import { useTexts } from '../app/i18n/use-texts.ts';
import { present, rangeOf } from '../app/router/search.ts';
import { useOrganization } from '../app/session/permissions.ts';
import { type DayRange, dayAfter, dayBefore, today } from '../app/time/days.ts';
import { useDimensions } from '../organization/dimensions/use-dimensions.ts';
import { useMembers } from '../organization/members/use-members.ts';
import { useProjects } from '../organization/projects/use-projects.ts';
import { measures } from './chart-data.ts';
import { isDimension, nameOfGroup, type UsageGroup, usageGroups } from './usage-groups.ts';
import { usageTexts } from './usage-texts.ts';

const route = getRouteApi('/user/usage');

export function UsageFilters({ range }: { range: DayRange }) {
  const t = useTexts(usageTexts);
  const search = route.useSearch();
  const { by = 'model', show = 'spend' } = search;
  const navigate = route.useNavigate();
  const change = (changed: object) => void navigate({ search: present({ ...search, ...changed }), resetScroll: false });
  return (
    <div className="filters">
      <RangeField
        value={rangeOf(search)}
        onChange={(days) => change({ from: days?.from, to: days?.to })}
        placeholder={t('last30')}
      />
      {range.from === range.to ? <DaySteps day={range.from} /> : null}
      <Choice
        label={t('measure')}
        value={show}
        choices={measures.map((value) => ({ value, label: t(value) }))}
        onChange={(value) => change({ show: value })}
      />
      {/* The last, because it grows once the projects and members are loaded. */}
      <Choice
        label={t('groupBy')}
        value={by}
        choices={useOffered(by).map((value) => ({
          value,
          label: isDimension(value) ? nameOfGroup(value, t) : t(groupTexts[value]),
        }))}
        onChange={(value) => change({ by: value })}
      />
    </div>
  );
}

const groupTexts = { model: 'byModel', key: 'byKey', project: 'byProject', member: 'byMember' } as const;

/** Projects and members only where there are some to compare, all dimensions, and always what the address asks for. */
function useOffered(chosen: UsageGroup): UsageGroup[] {
  const hasProjects = useProjects().length > 0;
  // Finance sees the usage of all members without their list, and someone else is the owner.
  const isFinance = useOrganization()?.role === 'finance';
  const hasMembers = useMembers().length > 1 || isFinance;
  const isOffered: Readonly<Record<(typeof usageGroups)[number], boolean>> = {
    model: true,
    key: true,
    project: hasProjects,
    member: hasMembers,
  };
  const offered: UsageGroup[] = usageGroups.filter((group) => isOffered[group] || group === chosen);
  const dimensions = useDimensions();
  const unlisted = isDimension(chosen) && !dimensions.includes(chosen) ? [chosen] : [];
  return [...offered, ...dimensions, ...unlisted];
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly choices: { value: string; label: string }[];
  readonly onChange: (value: string) => void;
}

/** More do not fit on a phone. */
const segmentsMax = 4;

function Choice({ label, value, choices, onChange }: ChoiceProps) {
  const id = useId();
  if (choices.length > segmentsMax) {
    return (
      <Select
        className="filters-grow"
        label={label}
        data={choices}
        value={value}
        allowDeselect={false}
        searchable
        onChange={(chosen) => onChange(chosen ?? value)}
      />
    );
  }
  return (
    <Stack gap={2} className="filters-grow">
      <Text size="sm" fw={500} id={id}>
        {label}
      </Text>
      <SegmentedControl className="segmented" data={choices} value={value} onChange={onChange} aria-labelledby={id} />
    </Stack>
  );
}

function DaySteps({ day }: { day: string }) {
  const t = useTexts(usageTexts);
  const steps = [
    { to: dayBefore(day), label: t('previousDay'), icon: IconChevronLeft },
    { to: dayAfter(day), label: t('nextDay'), icon: IconChevronRight },
  ];
  return (
    <Group gap={4} wrap="nowrap" className="filters-grow">
      {steps.map(({ to, label, icon: Mark }) => (
        <ActionIcon
          key={label}
          variant="default"
          size={36}
          aria-label={label}
          disabled={to > today()}
          component={Link}
          to="/usage"
          search={((search: object) => ({ ...search, from: to, to })) as unknown as true}
        >
          <Mark size={18} aria-hidden />
        </ActionIcon>
      ))}
    </Group>
  );
}
