/** Creates documents on request: the act of a past month, or a reconciliation of a period. */
import type { Transaction } from '../database/connect.ts';
import type { Document } from './document.ts';
import type { Issuing } from './document-services.ts';
import { findAct, issueServices, requirePast } from './services/month-services.ts';
import { issueReconciliation } from './services/reconciliation.ts';

export type DocumentInput =
  | { readonly type: 'act'; readonly month: string }
  | { readonly type: 'reconciliation'; readonly period: { readonly from: string; readonly to: string } };

/**
 * The act of a month is made once, so asking for it again returns it. Throws GatewayError `invalid_parameter`,
 * `nothing_to_document` or `company_details_missing`.
 */
export async function makeDocument(
  transaction: Transaction,
  issuing: Issuing,
  { accountId, input }: { accountId: number; input: DocumentInput },
): Promise<Document> {
  if (input.type === 'reconciliation') {
    return issueReconciliation(transaction, issuing, { accountId, period: input.period });
  }
  const { month } = input;
  requirePast(month, issuing);
  await issueServices(transaction, issuing, { accountId, month });
  return findAct(transaction, { accountId, month });
}
