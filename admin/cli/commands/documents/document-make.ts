/** `gateway document make`, `pdf` and `correct`. */
import { checkValue } from '../../../../shared/http/check-value.ts';
import {
  createdTypes,
  documentBody,
  readDocumentInput,
  renderDocument,
} from '../../../api/documents/document-schemas.ts';
import { loadCommandConfig } from '../../../config/admin.ts';
import type { Database, Transaction } from '../../../database/connect.ts';
import { type Document, titleOfStored } from '../../../documents/document.ts';
import { type Issuing, prepareIssuing } from '../../../documents/document-services.ts';
import { readPdf } from '../../../documents/files/read-pdf.ts';
import { correctDocument } from '../../../documents/issue/correction.ts';
import { makeDocument } from '../../../documents/make-document.ts';
import { renderDocument as drawDocument } from '../../../documents/render/render-document.ts';
import { readSellerOf, type Seller } from '../../../documents/seller/read-seller.ts';
import { commandActor, readReason } from '../../../operations/audit/command-actor.ts';
import { recordAction } from '../../../operations/audit/record-action.ts';
import { command, UsageError } from '../../command.ts';
import { withDatabase } from '../../with-database.ts';
import { writeFile } from '../../write-file.ts';
import { accountArguments, findNamedAccount } from '../accounts/name-account.ts';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const id = {
  type: 'positional',
  required: true,
  description: "The document's id, as `document list` shows it",
} as const;

export const documentMake = command({
  description: 'Create the act of a month, or a reconciliation of a period',
  args: {
    ...accountArguments,
    type: { type: 'string', required: true, description: `What to create: ${createdTypes.join(' or ')}` },
    month: { type: 'string', description: 'A past month, such as 2030-01' },
    from: { type: 'string', description: 'The first day of a reconciliation, instead of --month' },
    to: { type: 'string', description: 'Its last day, at most today' },
  },
  run: ({ type, month, from, to, ...named }) => {
    const input = readDocumentInput(
      checkValue(documentBody, {
        type,
        ...(month !== undefined && { month }),
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
      }),
    );
    return withDatabase(async (database) => {
      const accountId = await findNamedAccount(database, named);
      const document = await issue(database, async (transaction, issuing) => {
        const made = await makeDocument(transaction, issuing, { accountId, input });
        await recordAction(transaction, commandActor(), {
          action: 'document.make',
          subject: `document ${made.id}`,
          accountId,
          after: { document: titleOfStored(made) },
        });
        return made;
      });
      return { text: describe(document), object: renderDocument(document) };
    });
  },
});

export const documentCorrect = command({
  description: 'Replace a document with one that has the current company details',
  args: { id, reason: { type: 'string', required: true, description: 'Why, for the audit log' } },
  run: ({ id: given, reason }) => {
    const documentId = readDocumentId(given);
    const correction = { documentId, reason: readReason(reason) };
    return withDatabase(async (database) => {
      const document = await issue(database, (transaction, issuing) =>
        correctDocument(transaction, issuing, { actor: commandActor(), correction }),
      );
      return { text: describe(document), object: renderDocument(document) };
    });
  },
});

export const documentPdf = command({
  description: 'Write a document to a PDF file',
  args: { id, file: { type: 'string', description: 'The file to write, by default named after the document' } },
  run: ({ id: given, file }) => {
    const documentId = readDocumentId(given);
    return withDatabase(async ({ db }) => {
      const services = { db, seller: findSeller(), draw: drawDocument };
      const pdf = await readPdf(services, { id: documentId });
      const path = file ?? pdf.plainName;
      await writeFile(path, oneOf(pdf.bytes));
      return { text: `Wrote ${path}.`, object: { id: documentId, file: path } };
    });
  },
});

function issue(
  { db }: Database,
  work: (transaction: Transaction, issuing: Issuing) => Promise<Document>,
): Promise<Document> {
  const config = loadCommandConfig(['payments']);
  const issuing = prepareIssuing({ config, seller: findSeller(), now: () => new Date() });
  return db.transaction((transaction) => work(transaction, issuing));
}

function findSeller(): Seller | undefined {
  return readSellerOf(loadCommandConfig(['payments']).payments);
}

function describe(document: Document): string {
  return `${titleOfStored(document)}: ${document.id}`;
}

function readDocumentId(text: string): string {
  if (!uuid.test(text)) throw new UsageError('The id of a document is a UUID.');
  return text;
}

async function* oneOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
