/** `gateway document list`: accounting documents of all customers, or of one. */
import { renderDocument } from '../../../api/documents/document-schemas.ts';
import { documentTypes } from '../../../database/tables/documents.ts';
import { listDocuments } from '../../../documents/list-documents.ts';
import { command, UsageError } from '../../command.ts';
import { listOf } from '../../list.ts';
import { limitArgument, readLimit } from '../../list-arguments.ts';
import { withDatabase } from '../../with-database.ts';
import { accountArguments, findOptionalAccount } from '../accounts/name-account.ts';

export const documentList = command({
  description: 'List accounting documents, newest first',
  args: {
    ...accountArguments,
    type: { type: 'string', description: `Only this type: ${documentTypes.join(', ')}` },
    ...limitArgument,
  },
  run: (args) => {
    const type = documentTypes.find((known) => known === args.type);
    if (args.type !== undefined && type === undefined) {
      throw new UsageError(`--type must be one of ${documentTypes.join(', ')}.`);
    }
    const limit = readLimit(args.limit);
    return withDatabase(async (database) => {
      const accountId = await findOptionalAccount(database, args);
      const filter = { accountId, type, from: undefined, to: undefined };
      const page = await listDocuments(database.db, filter, { limit, offset: 0 });
      const documents = page.documents.map((document) => ({
        ...renderDocument(document),
        accountId: document.accountId,
      }));
      const text = listOf(documents, {
        none: 'No documents.',
        columns: {
          DOCUMENT: ({ id }) => id,
          ACCOUNT: ({ accountId }) => accountId,
          TYPE: ({ type }) => type,
          NUMBER: ({ number }) => number,
          DATE: ({ date }) => date,
          AMOUNT: ({ amount, currency }) => `${amount} ${currency}`,
          STATUS: ({ status }) => status,
        },
      });
      return { text, object: { documents } };
    });
  },
});
