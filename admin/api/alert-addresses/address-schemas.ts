/** The schemas of further alert addresses. */
import { Type } from '@sinclair/typebox';
import { type AlertAddress, addressStatuses, statusOf } from '../../notifications/addresses/alert-address.ts';
import { closedObject, nullable, oneOf } from '../fields/schemas.ts';

const emailMaxLength = 320;
const tokenMaxLength = 256;

const instant = (description: string) => Type.String({ format: 'date-time', description });

export const addressBody = closedObject({
  email: Type.String({
    maxLength: emailMaxLength,
    description: 'The additional address for the alerts.',
    expected: 'an e-mail address',
  }),
});

export const addressParams = Type.Object({
  id: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The `id` of the address in the list.',
    expected: 'the id of an address',
  }),
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
    id: Type.Integer({ description: 'The id of the address. Use it to remove the address.' }),
    email: Type.String({ description: 'Where the alerts go.' }),
    status: oneOf(
      addressStatuses,
      'Whether the address receives alerts. `pending`: not until the link mailed to it is followed. `active`: yes. ' +
        '`stopped`: no longer, because its reader unsubscribed; add it again to mail another link.',
    ),
    createdAt: instant('When the address was added.'),
    confirmedAt: nullable(instant('When its reader last agreed to receive alerts; null if never.')),
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
    email: Type.String({ description: 'The address that the link was mailed to.' }),
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

export const addressExample: typeof addressSchema.static = {
  id: 5,
  email: 'accounting@example.com',
  status: 'pending',
  createdAt: '2030-01-01T12:00:00.000Z',
  confirmedAt: null,
};
