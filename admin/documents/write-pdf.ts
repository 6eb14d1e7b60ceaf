/** A document as a PDF file. It is made from what is stored, so that it says the same for ever. */
import type { DbOrTransaction } from '../database/connect.ts';
import { readDocumentData, titleOf } from './document.ts';
import { renderDocument } from './render/render-document.ts';
import type { Seller } from './seller/read-seller.ts';

export interface PdfFile {
  /** `Акт об оказании услуг № 12 от 31.10.2026.pdf`. */
  readonly name: string;
  /** The same for programs that only take ASCII: `act-2026-12.pdf`. */
  readonly plainName: string;
  readonly bytes: Uint8Array;
}

interface PdfOrder {
  readonly id: string;
  /** The account that it must belong to. */
  readonly accountId?: number;
}

/** Throws GatewayError `not_found`. */
export async function writePdf(
  db: DbOrTransaction,
  seller: Seller | undefined,
  { id, accountId }: PdfOrder,
): Promise<PdfFile> {
  const data = await readDocumentData(db, id, accountId);
  const plainName = `${data.type.replace('_', '-')}-${data.date.slice(0, 4)}-${data.number}.pdf`;
  return { name: `${titleOf(data)}.pdf`, plainName, bytes: await renderDocument(data, seller) };
}
