/** Sums of usage as a CSV file. */
import { formatUsd } from '../../../shared/money.ts';
import { isLater, units } from '../../../shared/usage/billable-units.ts';
import type { DimensionName } from '../../../shared/usage/dimension-names.ts';
import { csvLine, textCell } from '../../http/download.ts';
import type { UsageSum } from '../../ledger/queries/usage/usage-query.ts';
import type { UsageNames } from './usage-names.ts';

const laterUnits = units.filter(isLater);
const firstUnits = units.filter((unit) => !isLater(unit));

/** New ones are added at the end: some read a column by its place. */
const columns = [
  'day',
  'hour',
  'model',
  'keyId',
  'keyName',
  'requests',
  ...firstUnits.map(({ name }) => name),
  'cost',
  'currency',
  'projectId',
  'projectName',
  'memberId',
  'memberEmail',
  'dimension',
  'dimensionValue',
  ...laterUnits.map(({ name }) => name),
];

/** The value is empty also where there is none. */
export function writeUsage(sums: readonly UsageSum[], names: UsageNames, dimension?: DimensionName): string {
  const lines = sums.map((sum) =>
    csvLine([
      sum.day ?? '',
      sum.hour?.toISOString() ?? '',
      textCell(sum.model ?? ''),
      ...named(sum.keyId, names.keys),
      String(sum.requests),
      ...firstUnits.map(({ name }) => String(sum[name])),
      formatUsd(sum.costNano),
      'USD',
      ...named(sum.projectId, names.projects),
      ...named(sum.memberId, names.members),
      dimension ?? '',
      textCell(sum.value ?? ''),
      ...laterUnits.map(({ name }) => String(sum[name])),
    ]),
  );
  return csvLine(columns) + lines.join('');
}

function named(id: number | null, names: ReadonlyMap<number, string>): [id: string, name: string] {
  return id === null ? ['', ''] : [String(id), textCell(names.get(id) ?? '')];
}
