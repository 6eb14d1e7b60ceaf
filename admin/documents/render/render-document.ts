/** Renders a document as a PDF file. */
import type { DocumentData } from '../document-data.ts';

export async function renderDocument(data: DocumentData, _look: unknown = {}): Promise<Uint8Array> {
  return new TextEncoder().encode(`%PDF-1.4\n% ${JSON.stringify(data)}\n%%EOF\n`);
}
