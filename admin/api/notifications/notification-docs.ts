/** The documentation of /api/settings/notifications. */
import { tooManyAttempts } from '../../auth/throttle/throttle.ts';
import { addressUnverified } from '../../database/rows/account-state.ts';
import { describe } from '../docs/describe.ts';
import { thrownBy } from '../docs/error-examples.ts';
import {
  readSettingsChange,
  settingsBody,
  settingsSchema,
  testResultSchema,
  testsRefusal,
} from './notification-schemas.ts';

const common = { tag: 'Notifications' } as const;

export const getSettingsDocs = describe({
  ...common,
  id: 'getNotificationSettings',
  permission: 'payments:read',
  summary: 'Notification settings',
  description: 'Whether, when and in which language e-mails about the balance are sent.',
  response: { description: 'The settings of the account.', schema: settingsSchema },
});

export const changeSettingsDocs = describe({
  ...common,
  id: 'changeNotificationSettings',
  permission: 'payments:manage',
  summary: 'Change the notification settings',
  description:
    'Fields that you leave out stay as they are; you can send the settings back as you read them, with one changed.\n\n' +
    'With `emailNotificationsEnabled`, an e-mail is sent when the balance falls below `lowBalanceThreshold`, compared in RUB at the current exchange rate. Raising the threshold above the ' +
    'balance counts as a fall. While spending continues below the threshold, reminders follow. Falls and reminders are ' +
    'sent no more often than every `notificationIntervalHours` (0 is no pause); one that comes earlier is sent when the ' +
    'interval ends, if the balance is still low. A separate e-mail is sent when the balance is used up: immediately, and ' +
    'then again no more often than every `notificationIntervalHours`.',
  body: { schema: settingsBody, example: { lowBalanceThreshold: 500, notificationIntervalHours: 24 } },
  response: { description: 'The settings after the change.', schema: settingsSchema },
  errors: [thrownBy(() => readSettingsChange({}))],
});

export const sendTestDocs = describe({
  ...common,
  id: 'sendTestNotification',
  permission: 'payments:manage',
  summary: 'Send a test e-mail',
  description:
    "Sends an e-mail to the user's address now, even if notifications are disabled, to see whether it arrives. At most " +
    'three in ten minutes.',
  response: {
    description: 'The result. It is 200 even if the mail server did not accept the e-mail: then `sent` is false.',
    schema: testResultSchema,
  },
  errors: [addressUnverified(), tooManyAttempts(testsRefusal, 600_000)],
});
