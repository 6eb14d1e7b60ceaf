/** The documentation of automatic top-ups. */
import { consentMissing } from '../../../payments/auto-top-up/settings.ts';
import { cardsStopped } from '../../../payments/creation/create-payment.ts';
import { describe } from '../../docs/describe.ts';
import { autoTopUpBody, autoTopUpSchema } from './auto-top-up-schemas.ts';

const common = { tag: 'Payments' } as const;

export const getAutoTopUpDocs = describe({
  ...common,
  id: 'getAutoTopUp',
  permission: 'payments:read',
  summary: 'Automatic top-up',
  description: 'Its settings, and the text that the customer agrees to.',
  response: { description: 'The settings.', schema: autoTopUpSchema },
});

export const putAutoTopUpDocs = describe({
  ...common,
  id: 'putAutoTopUp',
  permission: 'payments:manage',
  summary: 'Switch on or change automatic top-up',
  description:
    'From now on the saved card is charged whenever the balance is below `belowUsd`, within the limits. Without a saved ' +
    'card, order a top-up with `saveCard` next: once it is paid, its card is charged from then on. The consent is ' +
    'stored with its text, its time and the address of the request. Only one automatic charge is in progress at a time; a ' +
    'failed one is repeated after an hour, then after a day, and the third failure in a row stops automatic top-ups.',
  body: { schema: autoTopUpBody },
  response: { description: 'The settings after the change.', schema: autoTopUpSchema },
  errors: [cardsStopped(), consentMissing()],
});

export const deleteAutoTopUpDocs = describe({
  ...common,
  id: 'deleteAutoTopUp',
  permission: 'payments:manage',
  summary: 'Switch automatic top-up off',
  description: 'The saved card is deleted. A charge in progress is not stopped.',
  response: { status: 204, description: 'Automatic top-up is off.' },
});
