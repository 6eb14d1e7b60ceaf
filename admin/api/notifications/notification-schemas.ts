/** The bodies of /api/settings/notifications. */
import { Type } from '@sinclair/typebox';
import { GatewayError } from '../../../shared/errors.ts';
import { languages } from '../../../shared/languages.ts';
import { formatRubKopecks, parseRub, type RubKopecks } from '../../../shared/money.ts';
import type { NotificationSettings } from '../../database/rows/notification-settings.ts';
import { customer } from '../fields/example-values.ts';
import { rubFields, rubValues } from '../fields/money.ts';
import { closedObject, flag, nullable, oneOf, text } from '../fields/schemas.ts';

const thresholdMaxRub = 10_000_000;
const thresholdMeaning = 'The balance in RUB, with at most 2 decimals, below which an e-mail is sent.';
const thresholdForm = `an amount in RUB from 0 to ${thresholdMaxRub} with at most 2 decimals`;

const fields = {
  emailNotificationsEnabled: Type.Boolean({
    description: 'Whether e-mails about a low or used-up balance are sent.',
    expected: 'true or false',
    example: true,
  }),
  lowBalanceThreshold: Type.Number({
    minimum: 0,
    maximum: thresholdMaxRub,
    description: thresholdMeaning,
    expected: thresholdForm,
    example: 500,
  }),
  notificationIntervalHours: Type.Number({
    minimum: 0,
    description: 'Minimum hours between two e-mails of one kind, fractions allowed; 0 sends each immediately.',
    expected: 'a number of hours of at least 0, fractions allowed',
    example: 24,
  }),
  language: oneOf(languages, 'The language of these e-mails: Russian (`ru`) or English (`en`).', 'en'),
  documentEmailsEnabled: Type.Boolean({
    description: 'Whether new accounting documents are sent by e-mail, as PDF files.',
    expected: 'true or false',
    example: true,
  }),
};

export const settingsSchema = Type.Object(
  {
    ...fields,
    ...rubFields('lowBalanceThreshold', thresholdMeaning, '500'),
  },
  { title: 'NotificationSettings' },
);
export const settingsBody = closedObject({
  emailNotificationsEnabled: Type.Optional(fields.emailNotificationsEnabled),
  lowBalanceThreshold: Type.Optional(fields.lowBalanceThreshold),
  notificationIntervalHours: Type.Optional(fields.notificationIntervalHours),
  language: Type.Optional(fields.language),
  documentEmailsEnabled: Type.Optional(fields.documentEmailsEnabled),
});

export const testsRefusal = 'Too many test e-mails. Check your mailbox, or try again later.';

export const testResultSchema = Type.Object(
  {
    sent: flag('Whether the mail server accepted the e-mail.', true),
    to: text('The address that the e-mail was sent to.', customer.email),
    response: nullable(
      text(
        "For operators: the mail server's reply, why it could not be reached, or the path of the file that was written " +
          'instead. Null for customers.',
      ),
    ),
  },
  { title: 'TestNotification' },
);

export function renderSettings(settings: NotificationSettings): typeof settingsSchema.static {
  return {
    emailNotificationsEnabled: settings.emailEnabled,
    ...rubValues('lowBalanceThreshold', formatRubKopecks(settings.thresholdKopecks)),
    notificationIntervalHours: settings.intervalHours,
    language: settings.language,
    documentEmailsEnabled: settings.documentEmails,
  };
}

/** Throws GatewayError `invalid_parameter` or, if there is nothing to change, `missing_parameter`. */
export function readSettingsChange(body: typeof settingsBody.static): Partial<NotificationSettings> {
  const { emailNotificationsEnabled, lowBalanceThreshold, notificationIntervalHours } = body;
  const { language, documentEmailsEnabled } = body;
  const change = {
    ...(emailNotificationsEnabled !== undefined && { emailEnabled: emailNotificationsEnabled }),
    ...(lowBalanceThreshold !== undefined && { thresholdKopecks: parseThreshold(lowBalanceThreshold) }),
    ...(notificationIntervalHours !== undefined && { intervalHours: notificationIntervalHours }),
    ...(language !== undefined && { language }),
    ...(documentEmailsEnabled !== undefined && { documentEmails: documentEmailsEnabled }),
  };
  if (Object.keys(change).length > 0) return change;
  const message = `Send at least one of ${Object.keys(fields)
    .map((name) => `\`${name}\``)
    .join(', ')}.`;
  throw new GatewayError('missing_parameter', message, { param: 'emailNotificationsEnabled' });
}

function parseThreshold(rub: number): RubKopecks {
  try {
    // The shortest decimal of this number is what the client wrote.
    return parseRub(String(rub));
  } catch (cause) {
    const param = 'lowBalanceThreshold';
    const message = `Invalid value for '${param}': expected ${thresholdForm}.`;
    throw new GatewayError('invalid_parameter', message, { param, cause });
  }
}
