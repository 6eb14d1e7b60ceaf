/** The documentation of further alert addresses. */
import { Type } from '@sinclair/typebox';
import { exampleOf } from '../../../shared/openapi/example-of.ts';
import { invalidLink } from '../../auth/mail-links/mail-tokens.ts';
import { mailsRefusal } from '../../auth/throttle/request-throttle.ts';
import { tooManyAttempts } from '../../auth/throttle/throttle.ts';
import { addressUnverified } from '../../database/rows/account-state.ts';
import { addressExists, addressesMax, tooManyAddresses } from '../../notifications/addresses/add-address.ts';
import { addressNotFound } from '../../notifications/addresses/alert-address.ts';
import { describe } from '../docs/describe.ts';
import {
  addressBody,
  addressIdExample,
  addressListSchema,
  addressParams,
  addressSchema,
  linkQuery,
  linkResponseSchema,
} from './address-schemas.ts';

const tag = 'Notifications';
const page = { mediaType: 'text/html', schema: Type.String(), example: '<!doctype html>…' } as const;
const noLogin = 'The token in the link is the authorization; no log-in is needed. ';

export const listAddressesDocs = describe({
  tag,
  id: 'listAlertAddresses',
  permission: 'payments:read',
  summary: 'Additional alert addresses',
  description: 'Low-balance alerts go to the address of the account, and to each of these that is `active`.',
  response: {
    description: 'The addresses.',
    schema: addressListSchema,
    example: {
      addresses: [exampleOf(addressSchema, { status: 'active', confirmedAt: '2030-01-01T12:05:00.000Z' })],
    },
  },
});

export const addAddressDocs = describe({
  tag,
  id: 'addAlertAddress',
  permission: 'payments:manage',
  summary: 'Add an alert address',
  description:
    `Mails the address a link that works once within 48 hours. It receives no alerts until the link is followed. Adding an ` +
    `address again that is \`pending\` or \`stopped\` mails another link. An account has at most ${addressesMax} additional ` +
    'addresses. At most 5 such e-mails per hour are sent to one address, and at most 30 e-mails of all kinds per client address.',
  body: { schema: addressBody },
  response: {
    status: 201,
    description: 'The address as it is on the list now; the link is on its way.',
    schema: addressSchema,
  },
  errors: [addressUnverified(), addressExists(), tooManyAddresses(), tooManyAttempts(mailsRefusal, 60_000)],
});

export const removeAddressDocs = describe({
  tag,
  id: 'removeAlertAddress',
  permission: 'payments:manage',
  summary: 'Remove an alert address',
  description: 'It receives no more alerts, and links that were mailed to it stop working.',
  params: addressParams,
  response: { status: 204, description: 'The address is removed.' },
  errors: [addressNotFound(addressIdExample)],
});

export const showConfirmDocs = describe({
  tag,
  permission: 'public',
  id: 'showAlertAddressConfirmation',
  summary: 'Page of the confirmation link',
  description:
    'Where the mailed link leads: a page with a button that confirms. Opening it changes nothing, because programs that ' +
    'check mails for viruses open links too.',
  query: linkQuery,
  response: { description: 'The page.', ...page },
  errors: [invalidLink()],
  pages: [400],
});

export const confirmDocs = describe({
  tag,
  permission: 'public',
  id: 'confirmAlertAddress',
  summary: 'Confirm an alert address',
  description: `${noLogin}From then on the address receives alerts. A browser gets a page.`,
  query: linkQuery,
  response: {
    description: 'The address gets alerts.',
    schema: linkResponseSchema,
    example: exampleOf(linkResponseSchema, { status: 'active' }),
  },
  errors: [invalidLink()],
  pages: [200, 400],
});

export const showUnsubscribeDocs = describe({
  tag,
  permission: 'public',
  id: 'showAlertUnsubscription',
  summary: 'Page of the unsubscribe link',
  description:
    'Where the link in every alert to a further address leads: a page with a button. Opening it changes nothing.',
  query: linkQuery,
  response: { description: 'The page.', ...page },
  errors: [invalidLink()],
  pages: [400],
});

export const unsubscribeDocs = describe({
  tag,
  permission: 'public',
  id: 'unsubscribeFromAlerts',
  summary: 'Stop alerts to an address',
  description:
    `${noLogin}This is the one-click unsubscription of RFC 8058, which mail programs call on their own. It can be ` +
    'repeated. A browser gets a page.',
  query: linkQuery,
  response: {
    description: 'The address gets no more alerts of this account.',
    schema: linkResponseSchema,
    example: exampleOf(linkResponseSchema, { status: 'stopped' }),
  },
  errors: [invalidLink()],
  pages: [200, 400],
});
