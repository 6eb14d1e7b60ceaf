/** The files of an account's export. What is small is read before the first byte is sent; what may be long, page by page. */
import { and, desc, eq, lt } from 'drizzle-orm';
import { formatUsd, nanoUsd } from '../../../../shared/money.ts';
import type { User } from '../../../auth/create-user.ts';
import type { Db, DbOrTransaction } from '../../../database/connect.ts';
import { documents } from '../../../database/tables/documents.ts';
import type { LedgerLine } from '../../../database/tables/ledger-views.ts';
import { mails } from '../../../database/tables/mails.ts';
import { documentColumns } from '../../../documents/document.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { walkTransactions } from '../../../ledger/queries/list-transactions.ts';
import { listAudit } from '../../../operations/audit/list-audit.ts';
import { listMembers } from '../../../organizations/members.ts';
import { writeTransactions } from '../../money/transactions-file.ts';
import {
  describeBalance,
  describeBudgets,
  describeCompany,
  describeDimensions,
  describeKeys,
  describeNotifications,
  describeOrganization,
  describeProfile,
  describeProjects,
  describeSessions,
} from './describe-account.ts';
import { describeAutoTopUp, pagesOfPayments } from './describe-payments.ts';
import { type ExportFile, jsonFile, jsonListFile } from './export-file.ts';
import { writeRequests } from './write-requests.ts';

export interface ExportInput {
  readonly accountId: number;
  /** Who asks, or for whom an operator does. */
  readonly user: User;
  /** The session in which the user asks; undefined where an operator does. */
  readonly sessionId: string | undefined;
  readonly at: Date;
}

const rowsAtOnce = 1_000;
const all = { from: undefined, to: undefined };

export async function readExportFiles(
  ledger: Ledger,
  { accountId, user, sessionId, at }: ExportInput,
): Promise<ExportFile[]> {
  const { db } = ledger;
  const { id: userId } = user;
  const transactions = (type?: LedgerLine['type']) => ({ accountId, type, ...all });
  return [
    jsonFile('profile.json', 'Your addresses, name and role, and how you log in.', await describeProfile(db, user)),
    jsonFile('company.json', 'Whom accounting documents are issued to.', await describeCompany(db, accountId)),
    jsonFile(
      'balance.json',
      'The balance, all credits and all charges at the time of the export, and the rate limits of the account.',
      await describeBalance(db, accountId, at),
    ),
    jsonFile(
      'notifications.json',
      'When low-balance alerts are sent, and to which additional addresses.',
      await describeNotifications(db, accountId),
    ),
    ...(await filesOfOrganization(db, accountId)),
    jsonFile('sessions.json', 'When you logged in.', await describeSessions(db, userId, sessionId)),
    {
      name: 'transactions.csv',
      about: 'Every change of the balance, newest first.',
      chunks: () => writeTransactions(ledger, transactions()),
    },
    jsonListFile('transactions.json', 'The same as JSON.', () => pagesOfTransactions(ledger, accountId)),
    {
      name: 'payments.csv',
      about: 'The transactions that are payments.',
      chunks: () => writeTransactions(ledger, transactions('payment')),
    },
    jsonListFile('payments.json', 'Every top-up order, newest first, with its outcome.', () =>
      pagesOfPayments(db, accountId),
    ),
    jsonFile(
      'auto-top-up.json',
      'Automatic top-ups: the settings, the saved card, and each consent that you gave.',
      await describeAutoTopUp(db, accountId),
    ),
    {
      name: 'refunds.csv',
      about: 'The transactions that are refunds.',
      chunks: () => writeTransactions(ledger, transactions('refund')),
    },
    {
      name: 'requests.csv',
      about: 'Every charged request, newest first: tokens, prices and each component of the charge.',
      chunks: () => writeRequests(ledger, accountId),
    },
    jsonListFile('documents.json', 'The content of each accounting document, newest first.', () =>
      pagesOfDocuments(db, accountId),
    ),
    jsonListFile('mails.json', 'Mails about the account of the last 90 days, newest first, without their text.', () =>
      pagesOfMails(db, accountId),
    ),
    jsonListFile('audit.json', 'What operators and members have changed, newest first.', () =>
      pagesOfAudit(db, { accountId, user }),
    ),
  ];
}

/** What belongs to the organization besides its money. */
async function filesOfOrganization(db: Db, accountId: number): Promise<ExportFile[]> {
  return [
    jsonFile(
      'keys.json',
      'API keys, deleted ones included. The keys themselves are not stored and cannot be exported.',
      await describeKeys(db, accountId),
    ),
    jsonFile(
      'organization.json',
      'The name and the time zone of the organization, how its members sign in, and from where its keys may be used.',
      await describeOrganization(db, accountId),
    ),
    jsonFile('members.json', 'Who belongs to the organization, and as what.', await listMembers(db, accountId)),
    jsonFile(
      'projects.json',
      'What keys are used for, archived projects included.',
      await describeProjects(db, accountId),
    ),
    jsonFile(
      'budgets.json',
      'What may be spent in which period, besides the limits of keys.',
      await describeBudgets(db, accountId),
    ),
    jsonFile(
      'dimensions.json',
      'What clients say in `user` and `metadata`, as far as usage is attributed to it.',
      await describeDimensions(db, accountId),
    ),
  ];
}

async function* pagesOfTransactions(ledger: Ledger, accountId: number) {
  for await (const lines of walkTransactions(ledger, { accountId, type: undefined, ...all }, rowsAtOnce)) {
    yield lines.map(({ id, createdAt, type, amountNano, description, requestId, model }) => ({
      id,
      createdAt,
      type,
      amountUsd: formatUsd(nanoUsd(amountNano)),
      description,
      requestId,
      model,
    }));
  }
}

async function* pagesOfDocuments(db: DbOrTransaction, accountId: number) {
  let beforeId: string | undefined;
  for (;;) {
    const page = await db
      .select({
        id: documents.id,
        status: documentColumns.status,
        createdAt: documents.createdAt,
        data: documents.data,
      })
      .from(documents)
      .where(and(eq(documents.accountId, accountId), beforeId === undefined ? undefined : lt(documents.id, beforeId)))
      .orderBy(desc(documents.id))
      .limit(rowsAtOnce);
    yield page;
    beforeId = page.at(-1)?.id;
    if (beforeId === undefined || page.length < rowsAtOnce) return;
  }
}

async function* pagesOfMails(db: DbOrTransaction, accountId: number) {
  const { id, kind, recipient, language, state, createdAt, sentAt } = mails;
  let beforeId: number | undefined;
  for (;;) {
    const page = await db
      .select({ id, kind, recipient, language, state, createdAt, sentAt })
      .from(mails)
      .where(and(eq(mails.accountId, accountId), beforeId === undefined ? undefined : lt(id, beforeId)))
      .orderBy(desc(id))
      .limit(rowsAtOnce);
    yield page;
    beforeId = page.at(-1)?.id;
    if (beforeId === undefined || page.length < rowsAtOnce) return;
  }
}

/** Which operator it was, and from where, is that person's data and not the customer's. */
async function* pagesOfAudit(db: DbOrTransaction, { accountId, user }: Pick<ExportInput, 'accountId' | 'user'>) {
  const query = { actor: undefined, action: undefined, accountId, ...all, limit: rowsAtOnce };
  let beforeId: number | undefined;
  for (;;) {
    const page = await listAudit(db, { ...query, beforeId });
    yield page.map(({ at, actor, userId, isMember, action, subject, reason, before, after }) => ({
      at,
      by: userId === user.id ? 'you' : isMember ? actor : userId === null ? 'command line' : 'operator',
      action,
      subject,
      reason,
      before,
      after,
    }));
    beforeId = page.at(-1)?.id;
    if (beforeId === undefined || page.length < rowsAtOnce) return;
  }
}
