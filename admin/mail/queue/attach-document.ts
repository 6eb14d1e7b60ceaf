/** What is attached to a mail: read when it is sent, so the queue keeps only an id. */
import { type PdfServices, readPdf } from '../../documents/files/read-pdf.ts';
import type { MailContent } from '../mail.ts';
import type { Attachment } from '../transport/mailer.ts';

export async function attachDocument(services: PdfServices, content: MailContent): Promise<readonly Attachment[]> {
  if (content.kind !== 'document_ready') return [];
  const { name, bytes } = await readPdf(services, { id: content.data.documentId });
  return [{ name, mediaType: 'application/pdf', bytes }];
}
