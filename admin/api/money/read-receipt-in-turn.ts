/**
 * Receipts as the API reads them. One of long ago may be in the archive, and holds a connection to Postgres while it is read there:
 * so it waits for a turn, like other work that takes more than a request should.
 */
import { isOfArchivedAge } from '../../ledger/archive/usage-archive.ts';
import { foundReceipt, type Receipt, type ReceiptSearch, readReceipt } from '../../ledger/queries/read-receipt.ts';
import type { AdminServices } from '../../services.ts';

interface Reader {
  /** Of the caller. */
  readonly accountId: number;
  readonly signal: AbortSignal;
}

/** Throws GatewayError `not_found`, `archive_unavailable`, and what HeavyWork throws. */
export async function readReceiptInTurn(
  { database: { db }, archive, heavyWork }: Pick<AdminServices, 'archive' | 'database' | 'heavyWork'>,
  { accountId, signal }: Reader,
  search: ReceiptSearch,
): Promise<Receipt> {
  const { requestId } = search;
  const read = () => readReceipt({ db, archive }, search);
  const isQuick = !isOfArchivedAge(requestId);
  return foundReceipt(await (isQuick ? read() : heavyWork.run({ kind: 'query', accountId, signal }, read)), requestId);
}
