/**
 * Lists, as every command prints them: a line of headings, then a line for each row. Columns are aligned for people; for
 * files and programs they are separated by tabs, and what is empty at the end of a line is left out.
 */

type Cell = string | number | null;
/** By heading; a function tells what a row has there. */
type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

export interface List {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What is said instead where there is no row. */
  readonly none: string;
}

const gap = '  ';
/** What customers have written stands in lists too: it must not break a line, nor command an operator's terminal. */
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
  if (!aligned) return lines.map((cells) => cells.join('\t').replace(/\t+$/, '')).join('\n');
  const widths = headings.map((_, column) => Math.max(...lines.map((cells) => Bun.stringWidth(cells[column] ?? ''))));
  const padded = (cell: string, column: number) => cell + ' '.repeat((widths[column] ?? 0) - Bun.stringWidth(cell));
  return lines.map((cells) => cells.map(padded).join(gap).trimEnd()).join('\n');
}
