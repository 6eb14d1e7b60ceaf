/**
 * What downloads are made of: CSV by RFC 4180 (https://www.rfc-editor.org/rfc/rfc4180), safe to open in a spreadsheet,
 * and text that is produced only as fast as it is read.
 */

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

/** The first chunk is produced before this resolves, so that an early failure can still become an error response. */
export async function streamText(
  chunks: AsyncGenerator<string, void>,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const encoder = new TextEncoder();
  let next: IteratorResult<string, void> | undefined = await chunks.next();
  return new ReadableStream({
    pull: async (controller) => {
      const chunk = next ?? (await chunks.next());
      next = undefined;
      if (chunk.done) controller.close();
      else controller.enqueue(encoder.encode(chunk.value));
    },
    cancel: async () => {
      await chunks.return();
    },
  });
}
