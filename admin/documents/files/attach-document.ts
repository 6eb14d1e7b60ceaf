/** What is attached to a mail: read when it is sent, so the queue keeps only an id. */
import type { MailContent } from '../../mail/mail.ts';
import type { Attachment } from '../../mail/transport/mailer.ts';
import { type PdfServices, readPdf } from './read-pdf.ts';

export async function attachDocument(services: PdfServices, content: MailContent): Promise<readonly Attachment[]> {
  if (content.kind !== 'document_ready') return [];
  const { name, bytes } = await readPdf(services, { id: content.data.documentId });
  return [{ name, mediaType: 'application/pdf', bytes }];
}
