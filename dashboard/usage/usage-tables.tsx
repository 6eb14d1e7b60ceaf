/** Usage in rows: by model, key, project, member or a dimension, and by day or hour. A row leads to what it is the sum of. */
import { Text } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import { unitsInstead } from '../../shared/usage/billable-units.ts';
import { type Column, DataTable, loadedQuery } from '../app/components/data-table.tsx';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { AlignedUsd } from '../app/money/aligned-usd.tsx';
import { compareDecimals } from '../app/money/decimal.ts';
import { useUnitWords } from '../app/money/unit-words.ts';
import { present } from '../app/router/search.ts';
import type { DayRange } from '../app/time/days.ts';
import { formatCount } from '../app/time/format-time.ts';
import { formatSlot } from './period.ts';
import {
  isDimension,
  nameOfGroup,
  nameOfPart,
  noneId,
  partIdOf,
  partOf,
  type UsageGroup,
  valueOfId,
} from './usage-groups.ts';
import { groupRows, type Slot, sumUsage, type UsageRow, type UsageSum } from './usage-rows.ts';
import { usageTexts } from './usage-texts.ts';

interface Group extends UsageSum {
  readonly id: string;
  readonly name: string;
}

export function GroupTable({ rows, group, range }: { rows: readonly UsageRow[]; group: UsageGroup; range: DayRange }) {
  const t = useTexts(usageTexts);
  const groups = [...groupRows(rows, (row) => partIdOf(row, group))]
    .map(([id, some]): Group => ({ id, name: nameOfPart(partOf(some[0], group), group, t), ...sumUsage(some) }))
    .sort((one, other) => compareDecimals(other.cost, one.cost));
  const header = nameOfGroup(group, t);
  const name: Column<Group> = {
    id: 'name',
    header,
    // No filter is for what is in no project, or of no member.
    render: ({ id, name: text }) =>
      id === noneId && group !== 'model' && !isDimension(group) ? (
        text
      ) : (
        <RowLink to="/activity" search={{ ...range, ...filterOf(group, id) } as never}>
          {text}
        </RowLink>
      ),
  };
  return <Sums label={header} columns={[name, ...useSumColumns(groups)]} rows={groups} />;
}

/** Of the requests that a row sums up. */
const filterOf = (group: UsageGroup, id: string) =>
  isDimension(group) ? present({ dimension: group, value: valueOfId(id) }) : { [group]: id };

interface SlotTableProps {
  readonly rows: readonly UsageRow[];
  readonly slot: Slot;
  readonly linkTo: (slot: string) => LinkProps;
}

/** The newest first. Slots without usage are left out. */
export function SlotTable({ rows, slot, linkTo }: SlotTableProps) {
  const t = useTexts(usageTexts);
  const language = useLanguage();
  const groups = [...groupRows(rows, (row) => row[slot] ?? '')]
    .map(([id, members]): Group => ({ id, name: formatSlot(id, slot, language), ...sumUsage(members) }))
    .sort((one, other) => (one.id < other.id ? 1 : -1));
  const header = t(slot);
  const name: Column<Group> = {
    id: 'name',
    header,
    render: (row) => <RowLink {...linkTo(row.id)}>{row.name}</RowLink>,
  };
  return <Sums className="usage-slots" label={header} columns={[name, ...useSumColumns(groups)]} rows={groups} />;
}

interface SumsProps {
  readonly label: string;
  readonly columns: Column<Group>[];
  readonly rows: readonly Group[];
  readonly className?: string;
}

function Sums({ label, columns, rows, className = '' }: SumsProps) {
  return (
    <div className={`usage-table ${className}`}>
      <DataTable label={label} columns={columns} rows={rows} rowKey={({ id }) => id} query={loadedQuery} empty={null} />
    </div>
  );
}

function RowLink({ children, ...link }: LinkProps & { children: string }) {
  return (
    <Link className="link" {...(link as LinkProps & { to: string })}>
      {children}
    </Link>
  );
}

function useSumColumns(groups: readonly Group[]): Column<Group>[] {
  const t = useTexts(usageTexts);
  const words = useUnitWords();
  const language = useLanguage();
  const count = (value: number) => formatCount(value, language);
  const number = (id: string, header: string, render: Column<Group>['render']): Column<Group> => ({
    id,
    header,
    align: 'right',
    render,
  });
  const costs = groups.map(({ cost }) => cost);
  const others = unitsInstead.filter(({ name }) => groups.some((group) => group[name] > 0));
  return [
    number('requests', t('requests'), ({ requests }) => count(requests)),
    number('prompt', t('prompt'), (sum) => (
      <Tokens
        total={count(sum.promptTokens)}
        part={sum.cachedPromptTokens > 0 && t('cached', { count: count(sum.cachedPromptTokens) })}
      />
    )),
    number('completion', t('completion'), (sum) => (
      <Tokens
        total={count(sum.completionTokens)}
        part={sum.reasoningTokens > 0 && t('reasoning', { count: count(sum.reasoningTokens) })}
      />
    )),
    ...others.map(({ name }) => number(name, words.heading(name), (sum) => count(sum[name]))),
    number('cost', t('cost'), ({ cost }) => <AlignedUsd amount={cost} among={costs} />),
  ];
}

function Tokens({ total, part }: { total: string; part: string | false }) {
  return (
    <span>
      {total}
      {part === false ? null : (
        <Text size="xs" c="dimmed">
          {part}
        </Text>
      )}
    </span>
  );
}
