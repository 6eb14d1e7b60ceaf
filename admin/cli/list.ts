/**
 * Lists and counts, as every command prints them. A list has a header line, then one line per row. Columns are aligned
 * for people; for files and programs they are separated by tabs, and empty values at the end of a line are left out.
 */

type Cell = string | number | null;
/** By heading; a function returns the value of a row. */
type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

export interface List {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Printed instead if there are no rows. */
  readonly none: string;
}

const gap = '  ';
/** Lists contain text written by customers: it must not break a line or send escape codes to a terminal. */
const controls = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

export function listOf<Row>(rows: readonly Row[], { none, columns }: { none: string; columns: Columns<Row> }): List {
  const cells = Object.values(columns);
  return {
    headings: Object.keys(columns),
    rows: rows.map((row) => cells.map((cell) => String(cell(row) ?? '').replaceAll(controls, ' '))),
    none,
  };
}

export function renderList({ headings, rows, none }: List, { aligned }: { aligned: boolean }): string {
  if (rows.length === 0) return none;
  const lines = [headings, ...rows];
  if (!aligned) return lines.map((cells) => withoutEmptyEnd(cells).join('\t')).join('\n');
  const widths = headings.map((_, column) => Math.max(...lines.map((cells) => Bun.stringWidth(cells[column] ?? ''))));
  const padded = (cell: string, column: number) => cell + ' '.repeat((widths[column] ?? 0) - Bun.stringWidth(cell));
  return lines.map((cells) => cells.map(padded).join(gap).trimEnd()).join('\n');
}

const withoutEmptyEnd = (cells: readonly string[]) => cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1);
