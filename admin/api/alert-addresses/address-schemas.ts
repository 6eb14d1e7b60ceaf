/** The schemas of further alert addresses. */
import { Type } from '@sinclair/typebox';
import { type AlertAddress, addressStatuses, statusOf } from '../../notifications/addresses/alert-address.ts';
import { closedObject, emailAddress, idOf, integer, nullable, oneOf, text, timestamp } from '../fields/schemas.ts';

const tokenMaxLength = 256;

export const addressIdExample = 5;
const address = 'accounting@example.com';

export const addressBody = closedObject({
  email: emailAddress('The additional address for the alerts.', address),
});

export const addressParams = Type.Object({
  id: idOf('an address', 'The `id` of the address in the list.'),
});

export const linkQuery = Type.Object({
  token: Type.String({
    minLength: 1,
    maxLength: tokenMaxLength,
    description: 'The token of the mailed link.',
    expected: 'the token of a mailed link',
  }),
});

export const addressSchema = Type.Object(
  {
    id: integer('The id of the address. Use it to remove the address.', addressIdExample),
    email: text('Where the alerts go.', address),
    status: oneOf(
      addressStatuses,
      'Whether the address receives alerts. `pending`: not until the link mailed to it is followed. `active`: yes. ' +
        '`stopped`: no longer, because its reader unsubscribed; add it again to mail another link.',
    ),
    createdAt: timestamp('When the address was added.'),
    confirmedAt: nullable(timestamp('When its reader last agreed to receive alerts; null if never.')),
  },
  { title: 'AlertAddress', description: 'An additional alert address.' },
);

export const addressListSchema = Type.Object(
  {
    addresses: Type.Array(addressSchema, {
      description: 'In the order in which they were added. The address of the account itself is not among them.',
    }),
  },
  { title: 'AlertAddressList' },
);

export const linkResponseSchema = Type.Object(
  {
    email: text('The address that the link was mailed to.', address),
    status: oneOf(
      addressStatuses,
      'The new state of the address: `active` once confirmed, `stopped` once unsubscribed.',
    ),
  },
  { title: 'ConfirmedAddress' },
);
export type LinkResponse = typeof linkResponseSchema.static;

export function renderAddress(address: AlertAddress): typeof addressSchema.static {
  const { id, email, createdAt, confirmedAt } = address;
  return {
    id,
    email,
    status: statusOf(address),
    createdAt: createdAt.toISOString(),
    confirmedAt: confirmedAt?.toISOString() ?? null,
  };
}
