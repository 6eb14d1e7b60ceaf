/**
 * Draws an accounting document as PDF. Everything that it says comes from the document's data, which never changes; the
 * same data gives the same bytes.
 */
import type { DocumentData } from '../document-data.ts';
import { drawAct } from './forms/act-form.ts';
import { drawInvoice } from './forms/invoice-form.ts';
import { drawReconciliation } from './forms/reconciliation-form.ts';
import type { Look } from './forms/signature-fields.ts';
import { drawTaxInvoice } from './forms/tax-invoice-form.ts';
import { drawUpd } from './forms/upd-form.ts';
import { type Orientation, Paper } from './page/paper.ts';
import { nameOf } from './text/parties.ts';
import { shortTitle } from './text/titles.ts';

const orientations: Readonly<Record<DocumentData['type'], Orientation>> = {
  invoice: 'portrait',
  advance_invoice: 'landscape',
  act: 'portrait',
  upd: 'landscape',
  tax_invoice: 'landscape',
  reconciliation: 'portrait',
};

/** `look` is today's, of the seller's file: it is printed on invoices and acts. */
export function renderDocument(data: DocumentData, look?: Look): Promise<Uint8Array> {
  const { type, date, seller } = data;
  const paper = new Paper({
    title: shortTitle(data),
    date,
    author: nameOf(seller),
    orientation: orientations[type],
  });
  draw(paper, data, look);
  return paper.finish();
}

function draw(paper: Paper, data: DocumentData, look: Look | undefined): void {
  if (data.type === 'invoice') drawInvoice(paper, data, look);
  else if (data.type === 'act') drawAct(paper, data, look);
  else if (data.type === 'reconciliation') drawReconciliation(paper, data);
  else if (data.type === 'upd') drawUpd(paper, data);
  else drawTaxInvoice(paper, data);
}
