/** What is attached to a mail: made when it is sent, from what is stored, so the queue keeps only an id. */
import type { DbOrTransaction } from '../../database/connect.ts';
import type { Seller } from '../../documents/seller/read-seller.ts';
import { writePdf } from '../../documents/write-pdf.ts';
import type { MailContent } from '../mail.ts';
import type { Attachment } from '../transport/mailer.ts';

export interface AttachmentServices {
  readonly db: DbOrTransaction;
  readonly seller: Seller | undefined;
}

export async function attachDocument(
  { db, seller }: AttachmentServices,
  content: MailContent,
): Promise<readonly Attachment[]> {
  if (content.kind !== 'document_ready') return [];
  const { name, bytes } = await writePdf(db, seller, { id: content.data.documentId });
  return [{ name, mediaType: 'application/pdf', bytes }];
}
