/**
 * A document as a PDF file. It is drawn when it is first sent or downloaded, and kept, with the seller's stamp and signature: from
 * then on it has the same bytes for ever, and costs a read.
 */
import { eq } from 'drizzle-orm';
import type { DbOrTransaction } from '../../database/connect.ts';
import { documentFiles, documents } from '../../database/tables/documents.ts';
import { documentColumns, documentNotFound, isDocument, readDocumentData, titleOfStored } from '../document.ts';
import type { DocumentData } from '../document-data.ts';
import type { Look } from '../render/forms/signature-fields.ts';
import type { Seller } from '../seller/read-seller.ts';

export interface PdfFile {
  /** `Акт об оказании услуг № 12 от 31.10.2026.pdf`. */
  readonly name: string;
  /** The same for programs that only take ASCII: `act-2026-12.pdf`. */
  readonly plainName: string;
  readonly bytes: Uint8Array;
}

export interface PdfServices {
  readonly db: DbOrTransaction;
  /** Whose stamp and signature a new drawing has. */
  readonly seller: Seller | undefined;
  draw(data: DocumentData, look: Look): Promise<Uint8Array>;
}

export interface PdfInput {
  readonly id: string;
  /** The account that it must belong to. */
  readonly accountId?: number;
}

/** Throws GatewayError `not_found`, and what drawing throws. */
export async function readPdf(services: PdfServices, input: PdfInput): Promise<PdfFile> {
  const file = await findFile(services.db, input);
  const { type, year, number } = file.document;
  return {
    name: `${titleOfStored(file.document)}.pdf`,
    plainName: `${type.replace('_', '-')}-${year}-${number}.pdf`,
    bytes: file.bytes ?? (await drawAndKeep(services, input)),
  };
}

/** Returns what another request or replica has drawn in the meantime, if one has. */
async function drawAndKeep({ db, seller, draw }: PdfServices, input: PdfInput): Promise<Uint8Array> {
  const { id } = input;
  const { stamp, signature } = seller ?? {};
  const drawn = await draw(await readDocumentData(db, id), {
    ...(stamp !== undefined && { stamp }),
    ...(signature !== undefined && { signature }),
  });
  // Without its stamp and signature: drawn by a command that has no SELLER_FILE, for example.
  if (seller === undefined) return drawn;
  await db.insert(documentFiles).values({ documentId: id, bytes: drawn }).onConflictDoNothing();
  return (await findFile(db, input)).bytes ?? drawn;
}

async function findFile(db: DbOrTransaction, { id, accountId }: PdfInput) {
  const [file] = await db
    .select({ document: documentColumns, bytes: documentFiles.bytes })
    .from(documents)
    .leftJoin(documentFiles, eq(documentFiles.documentId, documents.id))
    .where(isDocument(id, accountId));
  if (file === undefined) throw documentNotFound(id);
  return file;
}
