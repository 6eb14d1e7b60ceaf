/**
 * Many rows in one statement, as one array a column. Postgres reads an array in a fraction of the time that it needs for
 * the same values as JSON, and this text of one is made faster than by postgres.js, which looks at each value thrice.
 */

export type Item = string | number | bigint | boolean | Date | null;

/** What Postgres calls an array literal; the statement says of which type it is. */
export function arrayLiteral(items: readonly Item[]): string {
  return `{${items.map(itemText).join(',')}}`;
}

function itemText(item: Item): string {
  if (item === null) return 'NULL';
  if (typeof item === 'string') return quote(item);
  return item instanceof Date ? quote(item.toISOString()) : String(item);
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
