/** A table of a report: names to the left, numbers to the right, and a last row of totals. */

/** The first row is the header. */
export function renderTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  const [header = '', ...lines] = rows.map((row) => row.map(pad).join('  '));
  const rule = '-'.repeat(header.length);
  return [header, rule, ...lines.slice(0, -1), rule, ...lines.slice(-1)].join('\n');
}
