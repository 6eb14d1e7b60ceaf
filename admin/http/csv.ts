/** Writes CSV by RFC 4180 (https://www.rfc-editor.org/rfc/rfc4180), safe to open in a spreadsheet. */

const needsQuotes = /[",\r\n]/;
/** https://owasp.org/www-community/attacks/CSV_Injection; Japanese spreadsheets treat full-width forms like these. */
const beginsFormula = /^[=+\-@\t\r\n＝＋－＠]/;

export function csvLine(cells: readonly string[]): string {
  return `${cells.map(quote).join(',')}\r\n`;
}

/** A cell with user text: an apostrophe makes a spreadsheet show it instead of evaluating it. */
export function textCell(text: string): string {
  return beginsFormula.test(text) ? `'${text}` : text;
}

function quote(cell: string): string {
  return needsQuotes.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
