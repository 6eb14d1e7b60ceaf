/**
 * A PDF that is drawn from top to bottom: measured text, lines, images, pages. The same drawing gives the same bytes,
 * since nothing depends on a clock or on chance.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import PDFDocument from 'pdfkit';

export type Orientation = 'portrait' | 'landscape';
export type Align = 'left' | 'center' | 'right';

export interface TextStyle {
  readonly size?: number;
  readonly bold?: boolean;
  readonly align?: Align;
  /** What is longer ends with an ellipsis. */
  readonly linesMax?: number;
}

export interface TextPlace extends TextStyle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface PaperOptions {
  readonly title: string;
  /** A day, like "2030-01-31": the PDF's date of creation. */
  readonly date: string;
  readonly author: string;
  readonly orientation: Orientation;
}

const a4 = { short: 595.28, long: 841.89 };
const margins = {
  portrait: { left: 45, right: 30, top: 32, bottom: 40 },
  landscape: { left: 26, right: 22, top: 24, bottom: 30 },
} as const satisfies Record<Orientation, object>;
const footerSize = 7;
const defaultSize = 9;
const thin = 0.5;

const fonts = {
  regular: loadFont(import.meta.resolve('@expo-google-fonts/arimo/400Regular/Arimo_400Regular.ttf')),
  bold: loadFont(import.meta.resolve('@expo-google-fonts/arimo/700Bold/Arimo_700Bold.ttf')),
};

function loadFont(url: string): Buffer {
  return readFileSync(fileURLToPath(url));
}

export class Paper {
  /** Where the next part begins. */
  y = 0;
  readonly #pdf: PDFKit.PDFDocument;
  readonly #title: string;
  readonly #bytes: Promise<Uint8Array>;
  #orientation: Orientation;

  constructor({ title, date, author, orientation }: PaperOptions) {
    this.#title = title;
    this.#orientation = orientation;
    this.#pdf = new PDFDocument({
      autoFirstPage: false,
      bufferPages: true,
      // Otherwise a standard font without Cyrillic would be loaded.
      font: '',
      lang: 'ru-RU',
      displayTitle: true,
      info: { Title: title, Author: author, CreationDate: new Date(`${date}T00:00:00Z`) },
    });
    this.#pdf.registerFont('regular', fonts.regular);
    this.#pdf.registerFont('bold', fonts.bold);
    this.#bytes = collect(this.#pdf);
    this.newPage();
  }

  get left(): number {
    return margins[this.#orientation].left;
  }

  get width(): number {
    const { left, right } = margins[this.#orientation];
    return this.#pageWidth - left - right;
  }

  get right(): number {
    return this.left + this.width;
  }

  get bottom(): number {
    return this.#pageHeight - margins[this.#orientation].bottom;
  }

  newPage(orientation = this.#orientation): void {
    this.#orientation = orientation;
    this.#pdf.addPage({ size: 'A4', layout: orientation, margin: 0 });
    this.y = margins[orientation].top;
  }

  /** Below the current part. */
  hasRoom(height: number): boolean {
    return this.y + height <= this.bottom;
  }

  /** Continues on a new page unless this one has the room. */
  room(height: number): void {
    if (!this.hasRoom(height)) this.newPage();
  }

  /** Returns the height of the text. */
  text(text: string, { x, y, width, align = 'left', ...style }: TextPlace): number {
    const height = this.heightOf(text, width, style);
    const bound = style.linesMax === undefined ? {} : { height: height + 0.1, ellipsis: '…' };
    if (text !== '') this.#styled(style).text(text, x, y, { width, align, ...bound });
    return height;
  }

  heightOf(text: string, width: number, style: TextStyle = {}): number {
    const height = this.#styled(style).heightOfString(text === '' ? ' ' : text, { width });
    return Math.min(height, this.#styled(style).currentLineHeight(true) * (style.linesMax ?? Number.POSITIVE_INFINITY));
  }

  widthOf(text: string, style: TextStyle = {}): number {
    return this.#styled(style).widthOfString(text);
  }

  /** Text over the whole width; the next part begins below it, after a gap. */
  paragraph(text: string, { gap = 4, ...style }: TextStyle & { readonly gap?: number } = {}): void {
    this.room(this.heightOf(text, this.width, style));
    this.y += this.text(text, { x: this.left, y: this.y, width: this.width, ...style }) + gap;
  }

  line(from: { readonly x: number; readonly y: number }, to: { x: number; y: number }, thickness = thin): void {
    this.#pdf.lineWidth(thickness).moveTo(from.x, from.y).lineTo(to.x, to.y).stroke();
  }

  /** A horizontal line over the whole width. */
  rule(thickness: number, gap: number): void {
    this.line({ x: this.left, y: this.y }, { x: this.right, y: this.y }, thickness);
    this.y += gap;
  }

  box({ x, y, width, height }: Area, thickness = thin): void {
    this.#pdf.lineWidth(thickness).rect(x, y, width, height).stroke();
  }

  /** Black rectangles without borders. */
  fill(areas: readonly Area[]): void {
    for (const { x, y, width, height } of areas) this.#pdf.rect(x, y, width, height);
    this.#pdf.fill('black');
  }

  /** As large as fits, in the middle of the area. */
  image(bytes: Uint8Array, { x, y, width, height }: Area): void {
    this.#pdf.image(Buffer.from(bytes), x, y, { fit: [width, height], align: 'center', valign: 'center' });
  }

  /** Numbers the pages if there are several, and returns the PDF. */
  finish(): Promise<Uint8Array> {
    const { start, count } = this.#pdf.bufferedPageRange();
    for (let page = 0; count > 1 && page < count; page += 1) {
      this.#pdf.switchToPage(start + page);
      this.#orientation = this.#pdf.page.layout === 'landscape' ? 'landscape' : 'portrait';
      const place = { x: this.left, y: this.#pageHeight - 22, width: this.width, size: footerSize };
      this.text(this.#title, { ...place, width: this.width - 100 });
      this.text(`Страница ${page + 1} из ${count}`, { ...place, align: 'right' });
    }
    this.#pdf.end();
    return this.#bytes;
  }

  get #pageWidth(): number {
    return this.#orientation === 'landscape' ? a4.long : a4.short;
  }

  get #pageHeight(): number {
    return this.#orientation === 'landscape' ? a4.short : a4.long;
  }

  #styled({ size = defaultSize, bold = false }: TextStyle): PDFKit.PDFDocument {
    return this.#pdf.font(bold ? 'bold' : 'regular').fontSize(size);
  }
}

function collect(pdf: PDFKit.PDFDocument): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
    pdf.on('end', () => resolve(new Uint8Array(Buffer.concat(chunks))));
    pdf.on('error', reject);
  });
}
