/** The documentation of automatic top-ups. */
import { consentTexts, consentVersion } from '../../../payments/auto-top-up/consent-text.ts';
import { consentMissing } from '../../../payments/auto-top-up/settings.ts';
import { cardsStopped } from '../../../payments/creation/create-payment.ts';
import { describe } from '../../docs/describe.ts';
import { autoTopUpBody, autoTopUpSchema } from './auto-top-up-schemas.ts';

const common = { tag: 'Payments', security: 'accessToken' } as const;

const settings = {
  method: 'yookassa',
  amount: '1000.00',
  currency: 'RUB' as const,
  belowUsd: '5',
  dayLimit: '3000.00',
  monthLimit: '20000.00',
};

const example: typeof autoTopUpSchema.static = {
  state: 'on',
  settings,
  card: { title: 'MasterCard •••• 4444', savedAt: '2030-01-01T12:00:00.000Z' },
  failures: 0,
  stopReason: null,
  nextAttemptAt: null,
  consent: { version: consentVersion, texts: { ...consentTexts } },
  methods: [{ id: 'yookassa', currencies: ['RUB'] }],
};

export const getAutoTopUpDocs = describe({
  ...common,
  id: 'getAutoTopUp',
  summary: 'Automatic top-up',
  description: 'Its settings, and the text that the customer agrees to.',
  response: { status: 200, description: 'The settings.', schema: autoTopUpSchema, example },
});

export const putAutoTopUpDocs = describe({
  ...common,
  id: 'putAutoTopUp',
  summary: 'Switch on or change automatic top-up',
  description:
    'From now on the saved card is charged whenever the balance is below `belowUsd`, within the limits. Without a saved ' +
    'card, order a top-up with `saveCard` next: once it is paid, its card is charged from then on. The consent is ' +
    'stored with its text, its time and the address of the request. Only one automatic charge is in progress at a time; a ' +
    'failed one is repeated after an hour, then after a day, and the third failure in a row stops automatic top-ups.',
  body: { schema: autoTopUpBody, example: { ...settings, consentVersion, consentLanguage: 'en' } },
  response: { status: 200, description: 'The settings after the change.', schema: autoTopUpSchema, example },
  errors: [cardsStopped(), consentMissing()],
});

export const deleteAutoTopUpDocs = describe({
  ...common,
  id: 'deleteAutoTopUp',
  summary: 'Switch automatic top-up off',
  description: 'The saved card is deleted. A charge in progress is not stopped.',
  response: { status: 204, description: 'Automatic top-up is off.' },
});
