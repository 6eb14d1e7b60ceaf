/** What a reader finds in a PDF: its pages, their lines of text, and where each text is. */
import { inflateSync } from 'node:zlib';
import { getDocumentProxy } from 'unpdf';

export interface PlacedText {
  readonly text: string;
  readonly x: number;
  /** Of the baseline, from the top. */
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PdfPage {
  readonly width: number;
  readonly height: number;
  readonly texts: readonly PlacedText[];
  /** Texts on one baseline, from left to right; all spaces are plain ones. */
  readonly lines: readonly string[];
}

export async function readPdf(bytes: Uint8Array): Promise<PdfPage[]> {
  const document = await getDocumentProxy(bytes.slice());
  const numbers = Array.from({ length: document.numPages }, (_, index) => index + 1);
  return Promise.all(
    numbers.map(async (number) => {
      const page = await document.getPage(number);
      const { width, height } = page.getViewport({ scale: 1 });
      const { items } = await page.getTextContent();
      const texts = items.flatMap((item): PlacedText[] => {
        if (!('str' in item) || item.str.trim() === '') return [];
        const [, , , , x, y] = item.transform.map(Number);
        return [{ text: item.str, x: x ?? 0, y: height - (y ?? 0), width: item.width, height: item.height }];
      });
      return { width, height, texts, lines: linesOf(texts) };
    }),
  );
}

export async function linesOfPdf(bytes: Uint8Array): Promise<string[]> {
  return (await readPdf(bytes)).flatMap(({ lines }) => lines);
}

function linesOf(texts: readonly PlacedText[]): string[] {
  const lines = new Map<number, PlacedText[]>();
  for (const text of texts) {
    const y = [...lines.keys()].find((other) => Math.abs(other - text.y) < 0.6) ?? text.y;
    lines.set(y, [...(lines.get(y) ?? []), text]);
  }
  const rows = [...lines].sort(([one], [other]) => one - other);
  return rows.map(([, row]) => {
    const ordered = row.toSorted((one, other) => one.x - other.x);
    return ordered
      .map(({ text }) => text)
      .join(' ')
      .replaceAll(/\s+/g, ' ')
      .trim();
  });
}

interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The filled rectangles of the first page, from the top. */
export function filledRectangles(bytes: Uint8Array): Rectangle[] {
  const pdf = Buffer.from(bytes);
  const start = pdf.indexOf('stream\n') + 'stream\n'.length;
  const content = inflateSync(pdf.subarray(start, pdf.indexOf('\nendstream', start))).toString('latin1');
  const [filled = ''] = /(?:[-\d.]+ [-\d.]+ [-\d.]+ [-\d.]+ re\n)+(?=[^\n]*\n*f\n|f\n|\/)/.exec(content) ?? [];
  return filled
    .trim()
    .split('\n')
    .map((line) => {
      const [x = 0, y = 0, width = 0, height = 0] = line.split(' ').map(Number);
      return { x, y, width, height };
    });
}
