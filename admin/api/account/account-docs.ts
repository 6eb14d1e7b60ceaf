/** The documentation of the account as a whole. */
import { Type } from '@sinclair/typebox';
import { parseUsd } from '../../../shared/money.ts';
import { accountDeleted, balanceLeft } from '../../accounts/deletion/delete-account.ts';
import { lastOperator } from '../../accounts/last-operator.ts';
import { wrongPassword } from '../../auth/passwords/confirm-password.ts';
import { guessesRefusal } from '../../auth/throttle/login-throttle.ts';
import { tooManyAttempts } from '../../auth/throttle/throttle.ts';
import { accountNotFound } from '../../database/rows/lock-account.ts';
import { changeRefusals, heavyRefusals } from '../../heavy-work/heavy-work.ts';
import { lastOwner } from '../../organizations/members.ts';
import { describe } from '../docs/describe.ts';
import { customer } from '../fields/example-values.ts';
import { idParams } from '../operator/operator-schemas.ts';
import { deletedSchema, deletionBody, operatorDeletionBody } from './deletion-schemas.ts';
import { exportsRefusal } from './export/export-account.ts';

const left = balanceLeft(parseUsd('12.34'));
const deleted = accountDeleted(17, new Date('2030-01-01T12:00:00.000Z'));
const common = { tag: 'Account' } as const;

export const exportAccountDocs = describe({
  ...common,
  id: 'exportAccount',
  permission: 'organization:manage',
  summary: 'Export the account',
  description:
    'Everything about the account as a zip archive of JSON and CSV files: profile, company, alert settings, keys, members, ' +
    'sessions, transactions, payments, charged requests with each component of the charge, mails, and what operators ' +
    'and members did. `README.txt` in it says what each file is. Amounts are exact decimal strings. Keys, passwords and their hashes ' +
    'are not in it. The archive is streamed; one that was interrupted cannot be opened. At most 10 exports an hour.',
  response: {
    description: 'The archive.',
    mediaType: 'application/zip',
    schema: Type.String({ format: 'binary' }),
    example: 'PK…',
  },
  errors: [...heavyRefusals(), tooManyAttempts(exportsRefusal, 3_600_000)],
});

const kept =
  'The ledger keeps its entries under the account id, a forfeited balance included. Requests in flight run to ' +
  'their end and are booked. The e-mail address can sign up again, as a new account. An e-mail confirms the deletion to an ' +
  'address that was verified. Deletion cannot be undone.';

export const deleteAccountDocs = describe({
  ...common,
  id: 'deleteAccount',
  permission: 'organization:manage',
  summary: 'Delete the account',
  description:
    'Deletes the organization that the access token is for: erases its name, company details, mails, settings and invitations, ends ' +
    'its sessions, and deletes all API keys: when the response is sent, they are refused on every replica. If it is the one that ' +
    'was made for the caller, they are erased too, and leave their other organizations, where they must not be the last owner. ' +
    'Other members keep their users and their other organizations. For an account with a balance, the first attempt fails with ' +
    '`balance_left`, which states the amount; confirm exactly that amount as `forfeitBalanceUsd` to forfeit it. ' +
    `${kept} The last operator of a gateway cannot delete their account.`,
  body: { schema: deletionBody },
  response: { description: 'The account is deleted.', schema: deletedSchema },
  errors: [
    ...[wrongPassword(), left, lastOwner(), lastOperator(), tooManyAttempts(guessesRefusal, 60_000), deleted],
    ...changeRefusals(),
  ],
});

export const operatorDeleteAccountDocs = describe({
  tag: 'Operators',
  permission: 'operator',
  id: 'deleteAccountAsOperator',
  summary: 'Delete an account',
  description:
    `Does what \`DELETE /api/account\` does, at a customer's request. A balance has to be confirmed in the same way. ${kept} ` +
    'Operators cannot delete their own account here.',
  params: idParams('an account'),
  body: { schema: operatorDeletionBody },
  response: { description: 'The account is deleted.', schema: deletedSchema },
  errors: [accountNotFound(customer.accountId, 'id'), left, lastOwner(), lastOperator()],
});
