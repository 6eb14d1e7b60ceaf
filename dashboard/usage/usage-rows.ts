/** Rows of usage as the API returns them, and their sums. */
import { type BillableUnit, perUnit, type UnitCounts } from '../../shared/usage/billable-units.ts';
import { sumDecimals } from '../app/money/decimal.ts';

export type Slot = 'day' | 'hour';

export interface UsageSum extends UnitCounts {
  readonly cost: string;
  readonly requests: number;
}

export interface UsageRow extends UsageSum {
  readonly day?: string;
  readonly hour?: string;
  readonly model?: string;
  readonly keyId?: number;
  readonly keyName?: string | null;
  /** Null for usage in no project. */
  readonly projectId?: number | null;
  readonly projectName?: string | null;
  /** Null for keys that are no one's. */
  readonly memberId?: number | null;
  /** Null also for someone whose data was deleted. */
  readonly memberEmail?: string | null;
  /** Null for requests without one; likewise in `metadata`. */
  readonly user?: string | null;
  readonly metadata?: Readonly<Record<string, string | null>>;
}

export function sumUsage(rows: readonly UsageSum[]): UsageSum {
  const sumOf = (name: 'requests' | BillableUnit) => rows.reduce((sum, row) => sum + row[name], 0);
  return {
    ...perUnit(({ name }) => sumOf(name)),
    requests: sumOf('requests'),
    cost: sumDecimals(rows.map(({ cost }) => cost)),
  };
}

/** At least one. */
type UsageRows = [UsageRow, ...UsageRow[]];

/** Rows by what a function tells of them, in the order in which it is first seen. */
export function groupRows(rows: readonly UsageRow[], idOf: (row: UsageRow) => string): Map<string, UsageRows> {
  const groups = new Map<string, UsageRows>();
  for (const row of rows) {
    const group = groups.get(idOf(row));
    if (group === undefined) groups.set(idOf(row), [row]);
    else group.push(row);
  }
  return groups;
}
