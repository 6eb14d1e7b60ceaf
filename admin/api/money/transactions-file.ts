/**
 * Transactions as a CSV file, a page at a time. There is no column for the balance, because a charge that is booked
 * late would change the values of earlier files. A receipt has it.
 */
import { formatUsd, nanoUsd } from '../../../shared/money.ts';
import type { LedgerLine } from '../../database/tables/ledger-views.ts';
import { csvLine, textCell } from '../../http/download.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { TransactionFilter } from '../../ledger/queries/lines-of-account.ts';
import { walkTransactions } from '../../ledger/queries/list-transactions.ts';

const columns = ['id', 'createdAt', 'type', 'amount', 'currency', 'description', 'requestId', 'model'];
const linesAtOnce = 250;

export async function* writeTransactions(ledger: Ledger, filter: TransactionFilter): AsyncGenerator<string, void> {
  let head = csvLine(columns);
  for await (const lines of walkTransactions(ledger, filter, linesAtOnce)) {
    yield head + lines.map(writeLine).join('');
    head = '';
  }
}

function writeLine({ id, createdAt, type, amountNano, description, requestId, model }: LedgerLine): string {
  return csvLine([
    String(id),
    createdAt.toISOString(),
    type,
    formatUsd(nanoUsd(amountNano)),
    'USD',
    textCell(description),
    requestId ?? '',
    textCell(model ?? ''),
  ]);
}
