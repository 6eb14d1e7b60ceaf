/**
 * Draws the pages of a PDF. It loads PDF.js, so import it when a document is opened. The browser's own viewer would need
 * a policy that allows objects, and does not exist on phones.
 */
// A build of PDF.js without a worker: documents are small, and it would be another file to serve.
import { getDocument, type PDFDocumentProxy, type PDFPageProxy, VerbosityLevel } from 'unpdf/pdfjs';

export interface OpenedPdf {
  readonly pages: readonly PDFPageProxy[];
  /** Of the whole file. */
  readonly pageCount: number;
  close(): Promise<void>;
}

export async function openPdf(file: Blob, pagesMax: number): Promise<OpenedPdf> {
  const data = new Uint8Array(await file.arrayBuffer());
  // The policy allows no evaluated scripts.
  const options = { isEvalSupported: false, useWasm: false, enableXfa: false, verbosity: VerbosityLevel.ERRORS };
  const task = getDocument({ data, ...options });
  const pdf: PDFDocumentProxy = await task.promise;
  const count = Math.min(pdf.numPages, pagesMax);
  const pages = await Promise.all([...new Array(count).keys()].map((index) => pdf.getPage(index + 1)));
  return { pages, pageCount: pdf.numPages, close: () => task.destroy() };
}

/** Fills the canvas, as wide as it is on the page. */
export async function drawPage(page: PDFPageProxy, canvas: HTMLCanvasElement, signal: AbortSignal): Promise<void> {
  const width = canvas.clientWidth * devicePixelRatio;
  const viewport = page.getViewport({ scale: width / page.getViewport({ scale: 1 }).width });
  canvas.width = Math.round(viewport.width);
  canvas.height = Math.round(viewport.height);
  const drawing = page.render({ canvas, viewport });
  signal.addEventListener('abort', () => drawing.cancel());
  await drawing.promise;
}

/** For screen readers, which see nothing of a canvas. */
export async function textOfPage(page: PDFPageProxy): Promise<string> {
  const { items } = await page.getTextContent();
  return items.map((item) => ('str' in item ? item.str : '')).join(' ');
}
