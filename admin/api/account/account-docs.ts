/** What the documentation says about the account as a whole. */
import { Type } from '@sinclair/typebox';
import { describe } from '../../docs/describe.ts';

const common = { tag: 'Account', security: 'accessToken' } as const;

export const exportAccountDocs = describe({
  ...common,
  id: 'exportAccount',
  summary: 'Export the account',
  description:
    'Everything about the account as a zip archive of JSON and CSV files: profile, company, alert settings, keys, ' +
    'sessions, transactions, payments, charged requests with each component of the charge, mails, and what operators ' +
    'did. `README.txt` in it says what each file is. Amounts are exact decimal strings. Keys, passwords and their hashes ' +
    'are not in it. The archive is streamed; one that breaks off cannot be opened. At most 10 exports an hour.',
  answer: {
    status: 200,
    description: 'The archive.',
    mediaType: 'application/zip',
    schema: Type.String({ format: 'binary' }),
    example: 'PK…',
  },
  errors: ['too_many_attempts', 'overloaded'],
});
