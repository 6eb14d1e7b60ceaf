/** Writes CSV as RFC 4180 has it (https://www.rfc-editor.org/rfc/rfc4180), safe to open in a spreadsheet. */

const needsQuotes = /[",\r\n]/;
/** https://owasp.org/www-community/attacks/CSV_Injection; the wide forms are taken for the narrow ones in Japan. */
const beginsFormula = /^[=+\-@\t\r\n＝＋－＠]/;

export function csvLine(cells: readonly string[]): string {
  return `${cells.map(quote).join(',')}\r\n`;
}

/** A cell with somebody's words: an apostrophe makes a spreadsheet show them instead of reckoning with them. */
export function textCell(text: string): string {
  return beginsFormula.test(text) ? `'${text}` : text;
}

function quote(cell: string): string {
  return needsQuotes.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
