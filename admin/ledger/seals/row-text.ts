/**
 * The text of a row, whose hash is sealed: a JSON array of its columns, without spaces. Numbers, truth values and lists of numbers
 * are as they are, texts and ids are strings, and a time is its microseconds since 1970. It is the same for a row in its table and for one
 * in the archive.
 */
import { getTableColumns } from 'drizzle-orm';
import { ledgerLines } from '../../database/tables/ledger.ts';
import type { SealedPart } from '../../database/tables/seals.ts';
import { usageEvents } from '../../database/tables/usage.ts';
import type { StoredRow } from '../archive/stored-row.ts';

/** Stored with each seal. */
export const sealFormat = 1;

type ColumnKind = 'plain' | 'string' | 'time' | 'list';

const kindsByType: Readonly<Record<string, ColumnKind>> = {
  bigint: 'plain',
  integer: 'plain',
  smallint: 'plain',
  boolean: 'plain',
  text: 'string',
  uuid: 'string',
  'timestamp with time zone': 'time',
  'bigint[]': 'list',
};

/** Which lines are archived charges is not part of a seal, but which rows belong to it. */
const unsealed: ReadonlySet<string> = new Set(['is_archived_charge']);

const kinds: Readonly<Record<SealedPart, ReadonlyMap<string, ColumnKind>>> = {
  lines: kindsOf(ledgerLines),
  events: kindsOf(usageEvents),
};

function kindsOf(table: typeof ledgerLines | typeof usageEvents): ReadonlyMap<string, ColumnKind> {
  const columns = Object.values(getTableColumns(table)).filter(({ name }) => !unsealed.has(name));
  return new Map(
    columns.map((column) => {
      const kind = kindsByType[column.getSQLType()];
      if (kind === undefined) throw new Error(`rows with a ${column.getSQLType()} cannot be sealed`);
      return [column.name, kind];
    }),
  );
}

/** What a seal of now covers. */
export function sealedColumns(): Record<SealedPart, string[]> {
  return { lines: [...kinds.lines.keys()], events: [...kinds.events.keys()] };
}

/** An expression of SQL for the text of a row with these columns, which the seal names. */
export function rowTextExpression(part: SealedPart, columns: readonly string[]): string {
  return `'[' || ${columns.map((column) => expressionOf(part, column)).join(` || ',' || `)} || ']'`;
}

function expressionOf(part: SealedPart, column: string): string {
  switch (kindOf(part, column)) {
    case 'plain':
      return `coalesce("${column}"::text, 'null')`;
    case 'string':
      return `coalesce(to_json("${column}"::text)::text, 'null')`;
    case 'time':
      return `coalesce((extract(epoch FROM "${column}") * 1000000)::bigint::text, 'null')`;
    case 'list':
      return `coalesce('[' || array_to_string("${column}", ',') || ']', 'null')`;
  }
}

/**
 * The same of a row that was archived: large numbers are texts or of type bigint there, and times are in microseconds, or in ISO
 * 8601 with milliseconds.
 */
export function textOfRow(part: SealedPart, columns: readonly string[], row: StoredRow): string {
  return `[${columns.map((column) => textOf(kindOf(part, column), row[column] ?? null)).join(',')}]`;
}

function textOf(kind: ColumnKind, value: unknown): string {
  if (value === null) return 'null';
  switch (kind) {
    case 'plain':
      return String(value);
    case 'string':
      return JSON.stringify(value);
    case 'time':
      return typeof value === 'bigint' ? String(value) : `${Date.parse(String(value))}000`;
    case 'list':
      return `[${String(value)}]`;
  }
}

function kindOf(part: SealedPart, column: string): ColumnKind {
  const kind = kinds[part].get(column);
  if (kind === undefined) throw new Error(`there is no column ${column} among the ${part}`);
  return kind;
}
