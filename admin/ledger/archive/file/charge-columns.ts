/**
 * The columns of a file of charges: those of `usage_events`, in types that every reader of Parquet knows, and how many events
 * a request has. https://parquet.apache.org/docs/file-format/types/
 */
import { getTableColumns } from 'drizzle-orm';
import type { ParquetParsers, SchemaElement } from 'hyparquet';
import type { ColumnSource } from 'hyparquet-writer';
import { usageEvents } from '../../../database/tables/usage.ts';
import type { StoredRow } from '../stored-row.ts';

type ColumnKind = 'id' | 'integer' | 'long' | 'truth' | 'text' | 'time' | 'longs';

const kindsByType: Readonly<Record<string, ColumnKind>> = {
  uuid: 'id',
  smallint: 'integer',
  integer: 'integer',
  bigint: 'long',
  boolean: 'truth',
  text: 'text',
  'timestamp with time zone': 'time',
  'bigint[]': 'longs',
};

export interface ChargeColumn {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** How many events the request of the row has: with 2, its estimate was replaced. Not a column of the table. */
export const eventsColumn = 'events';
/** By these, rows are found. */
const sought: ReadonlySet<string> = new Set(['account_id', 'charged_at', 'request_id']);
/** Near those of the row before. */
const successive: ReadonlySet<string> = new Set([
  ...['cost_nano', 'booked_nano', 'wallet_seq', 'wallet_spent_nano'],
  ...['started_at', 'charged_at', 'journal_id', 'line_id'],
]);

export const chargeColumns: readonly ChargeColumn[] = [
  ...Object.values(getTableColumns(usageEvents)).map((column) => {
    const kind = kindsByType[column.getSQLType()];
    if (kind === undefined) throw new Error(`charges with a ${column.getSQLType()} cannot be archived`);
    return { name: column.name, kind };
  }),
  { name: eventsColumn, kind: 'integer' },
];

const optional = { repetition_type: 'OPTIONAL' } as const;

const elementsOf: Readonly<Record<ColumnKind, (name: string) => SchemaElement[]>> = {
  id: (name) => [{ ...optional, name, type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, logical_type: { type: 'UUID' } }],
  integer: (name) => [{ ...optional, name, type: 'INT32' }],
  long: (name) => [{ ...optional, name, type: 'INT64' }],
  truth: (name) => [{ ...optional, name, type: 'BOOLEAN' }],
  text: (name) => [{ ...optional, name, type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } }],
  time: (name) => [
    {
      ...{ ...optional, name, type: 'INT64', converted_type: 'TIMESTAMP_MICROS' },
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
    },
  ],
  longs: (name) => [
    { ...optional, name, num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { ...optional, name: 'element', type: 'INT64' },
  ],
};

export const chargeSchema: SchemaElement[] = [
  { name: 'charges', num_children: chargeColumns.length },
  ...chargeColumns.flatMap(({ name, kind }) => elementsOf[kind](name)),
];

/** How a column is selected, so that its values can be written; microseconds are not lost. */
export function selectedColumn({ name, kind }: ChargeColumn): string {
  return kind === 'time' ? `(extract(epoch FROM "${name}") * 1000000)::bigint AS "${name}"` : `"${name}"`;
}

/** Of rows as the driver reads them, with `selectedColumn`. */
export function columnSource({ name, kind }: ChargeColumn, rows: readonly StoredRow[]): ColumnSource {
  const isSought = sought.has(name);
  return {
    name,
    data: rows.map((row) => writtenValue(kind, row[name] ?? null)),
    statistics: isSought,
    columnIndex: isSought,
    ...(successive.has(name) && { encoding: 'DELTA_BINARY_PACKED' as const }),
  };
}

function writtenValue(kind: ColumnKind, value: unknown): unknown {
  if (value === null) return null;
  if (kind === 'long' || kind === 'time') return BigInt(String(value));
  if (kind === 'longs') return (value as readonly unknown[]).map((each) => BigInt(String(each)));
  return value;
}

/** Times stay numbers of microseconds until a row is read from them. */
export const chargeParsers: Partial<ParquetParsers> = { timestampFromMicroseconds: (micros) => micros };

/** Of a row of a file, which lacks what was added to charges later. */
export function storedRow(read: Readonly<Record<string, unknown>>): StoredRow {
  const row: Record<string, unknown> = {};
  for (const { name, kind } of chargeColumns) {
    const value = read[name];
    if (value !== undefined) row[name] = value === null ? null : storedValue(kind, value);
  }
  return row;
}

function storedValue(kind: ColumnKind, value: unknown): unknown {
  if (kind === 'time') return timeOfMicros(value as bigint);
  if (kind === 'long') return String(value);
  return kind === 'longs' ? (value as readonly bigint[]).map(String) : value;
}

/** `2026-10-31T23:59:59.123456Z` */
function timeOfMicros(micros: bigint): string {
  const milliseconds = Number(micros / 1_000n);
  const rest = String(micros % 1_000n).padStart(3, '0');
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${rest}Z`;
}
