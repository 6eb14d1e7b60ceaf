/** A small document of an account, for tests of what happens to documents. */
import type { Db } from '../../../admin/database/connect.ts';
import { issueDocument } from '../../../admin/documents/issue/issue-document.ts';
import { rubKopecks } from '../../../shared/money.ts';
import { reconciliation } from './render/samples.ts';

/** Returns its id. */
export async function newDocument(db: Db, accountId: number): Promise<string> {
  const { id } = await db.transaction((transaction) =>
    issueDocument(transaction, {
      accountId,
      type: 'reconciliation',
      date: '2030-01-31',
      period: { from: '2030-01-01', to: '2030-01-31' },
      amountKopecks: rubKopecks(1n),
      write: (numbered) => ({ ...reconciliation, ...numbered }),
    }),
  );
  return id;
}
