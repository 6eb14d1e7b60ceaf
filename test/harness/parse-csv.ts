/** CSV as RFC 4180 has it, as objects by the names in its first line. */

const cell = /(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r\n)/g;

export function parseCsv(text: string): Record<string, string>[] {
  const lines: string[][] = [[]];
  for (const [, quoted, plain = '', separator] of text.matchAll(cell)) {
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (separator === '\r\n') lines.push([]);
  }
  const [names = [], ...rows] = lines.slice(0, -1);
  return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? ''])));
}
