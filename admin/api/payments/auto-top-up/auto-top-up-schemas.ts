/** The schemas of automatic top-ups. */
import { Type } from '@sinclair/typebox';
import { languages } from '../../../../shared/languages.ts';
import { formatUsd, nanoUsd } from '../../../../shared/money.ts';
import { paymentCurrencies } from '../../../database/tables/payments.ts';
import { formatMinorUnits, minorUnits } from '../../../money/payment-money.ts';
import { consentTexts, consentVersion } from '../../../payments/auto-top-up/consent-text.ts';
import type { AutoTopUp, SavedCard } from '../../../payments/auto-top-up/saved-card.ts';
import type { PaymentMethods } from '../../../payments/methods/methods.ts';
import { usdText } from '../../fields/money.ts';
import { closedObject, integer, label, nullable, oneOf, text, timestamp } from '../../fields/schemas.ts';
import { usdAmount } from '../../fields/usd-amount.ts';
import { paymentAmount } from '../payment-schemas.ts';

const nameMaxLength = 40;

const settingsExample = {
  method: 'yookassa',
  amount: '1000.00',
  currency: 'RUB',
  belowUsd: '5',
  dayLimit: '3000.00',
  monthLimit: '20000.00',
} as const;

export const autoTopUpBody = closedObject({
  method: label(
    nameMaxLength,
    'How to pay: the `id` of one of the `methods` that GET returns.',
    settingsExample.method,
  ),
  amount: paymentAmount('How much each charge is, in `currency`.', settingsExample.amount),
  currency: oneOf(paymentCurrencies, 'The currency of the charges.'),
  belowUsd: usdAmount('The card is charged when the balance is below this amount.', settingsExample.belowUsd),
  dayLimit: paymentAmount(
    'The most that is charged in a calendar day, in `currency`. At least `amount`.',
    settingsExample.dayLimit,
  ),
  monthLimit: paymentAmount(
    'The most that is charged in a calendar month, in `currency`. At least `dayLimit`.',
    settingsExample.monthLimit,
  ),
  consentVersion: label(
    nameMaxLength,
    'The `version` of the consent text that the customer was shown, with their amounts, and agreed to.',
    consentVersion,
  ),
  consentLanguage: oneOf(languages, 'The language of the text shown.', 'en'),
});

const amount = (description: string) =>
  Type.String({ description: `${description} A decimal string with two decimals, in \`currency\`.` });

export const autoTopUpSchema = Type.Object(
  {
    state: oneOf(
      ['off', 'waiting_for_card', 'on', 'stopped'],
      '`waiting_for_card` until a payment that was ordered with `saveCard` is paid. `stopped` after three failed charges ' +
        'in a row or a dispute, until PUT switches it on again.',
      'on',
    ),
    settings: nullable(
      Type.Object(
        {
          method: text('The id of the payment method.'),
          amount: amount('How much each charge is.'),
          currency: oneOf(paymentCurrencies, 'The currency of the charges.'),
          belowUsd: usdText('The card is charged when the balance is below this amount.'),
          dayLimit: amount('The most that is charged in a day.'),
          monthLimit: amount('The most that is charged in a month.'),
        },
        { description: 'The latest settings; null if there are none.', example: settingsExample },
      ),
    ),
    card: nullable(
      Type.Object(
        {
          title: text('Such as `Visa •••• 4242`.'),
          savedAt: timestamp('When it was saved.'),
        },
        {
          description: 'The card that is charged; null if none is saved.',
          example: { title: 'MasterCard •••• 4444', savedAt: '2030-01-01T12:00:00.000Z' },
        },
      ),
    ),
    failures: integer('How many charges in a row have failed.', 0),
    stopReason: nullable(oneOf(['failures', 'dispute'], 'Why it was stopped; null if it is not.')),
    nextAttemptAt: nullable(
      timestamp(
        'When the balance is checked next, after a failure or a limit; null if the next charge of usage triggers the check.',
      ),
    ),
    consent: Type.Object(
      {
        version: text('The version of the texts.', consentVersion),
        texts: Type.Object(
          { ru: text('The text in Russian.', consentTexts.ru), en: text('The text in English.', consentTexts.en) },
          {
            description:
              'The text, in which `{amount}`, `{threshold}`, `{dayLimit}` and `{monthLimit}` are to be replaced.',
          },
        ),
      },
      { description: 'The text that the customer has to agree to.' },
    ),
    methods: Type.Array(
      Type.Object({
        id: text('A value for `method`.', settingsExample.method),
        currencies: Type.Array(oneOf(paymentCurrencies, 'A currency.'), {
          description: 'The supported currencies.',
          example: ['RUB'],
        }),
      }),
      { description: 'The methods that can charge a saved card.' },
    ),
  },
  { title: 'AutoTopUp' },
);

export function renderAutoTopUp(
  { settings, card }: { settings: AutoTopUp | undefined; card: SavedCard | undefined },
  methods: PaymentMethods,
): typeof autoTopUpSchema.static {
  const isWaiting = settings?.state === 'on' && card === undefined;
  return {
    state: isWaiting ? 'waiting_for_card' : (settings?.state ?? 'off'),
    settings: settings === undefined ? null : renderSettings(settings),
    card: card === undefined ? null : { title: card.title ?? '', savedAt: card.createdAt.toISOString() },
    failures: settings?.failures ?? 0,
    stopReason: settings?.stopReason ?? null,
    nextAttemptAt: settings?.dueAt?.toISOString() ?? null,
    consent: { version: consentVersion, texts: { ...consentTexts } },
    methods: [...methods.values()]
      .filter(({ savesCards }) => savesCards)
      .map(({ id, currencies }) => ({ id, currencies: [...currencies] })),
  };
}

function renderSettings(settings: AutoTopUp) {
  const { method, currency } = settings;
  return {
    method,
    currency,
    amount: formatMinorUnits(minorUnits(settings.amountMinor)),
    belowUsd: formatUsd(nanoUsd(settings.thresholdNano)),
    dayLimit: formatMinorUnits(minorUnits(settings.dayLimitMinor)),
    monthLimit: formatMinorUnits(minorUnits(settings.monthLimitMinor)),
  };
}
