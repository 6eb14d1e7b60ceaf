/** A column for each billable unit, with its count. */
import { bigint, integer } from 'drizzle-orm/pg-core';
import { type BillableUnit, perUnit, type StoredCounts } from '../../../shared/usage/billable-units.ts';

const ofEvent = (name: string) => integer(name);
const ofTotal = (name: string) => bigint(name, { mode: 'number' });
const storedOfTotal = (name: string) => bigint(name, { mode: 'number' }).notNull().default(0);

const listOfTotals = (name: string) => bigint(name, { mode: 'number' }).array();

/** Null where a count of 0 is stored as null. */
type UnitColumns<Column, StoredColumn> = {
  [Name in BillableUnit]: null extends StoredCounts[Name] ? Column : StoredColumn;
};

/** Null or, in rows of version 0.1.0, 0 where there was none. */
export function eventColumns(): Record<BillableUnit, ReturnType<typeof ofEvent>> {
  return perUnit(({ column, storesCount }) =>
    storesCount === 'always' ? ofEvent(column).default(0) : ofEvent(column),
  );
}

export function totalColumns() {
  const columns = perUnit((unit) => (unit.storesCount === 'always' ? storedOfTotal : ofTotal)(unit.column));
  return columns as unknown as UnitColumns<ReturnType<typeof ofTotal>, ReturnType<typeof storedOfTotal>>;
}

/** A list of counts for each unit, or null if there are none but 0. */
export function totalLists(): Record<BillableUnit, ReturnType<typeof listOfTotals>> {
  return perUnit((unit) => listOfTotals(unit.column));
}
