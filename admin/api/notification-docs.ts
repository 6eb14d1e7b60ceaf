/** What the documentation says about /api/settings/notifications. */
import { describe } from '../docs/describe.ts';
import { settingsBody, settingsExample, settingsSchema, testResultSchema } from './notification-schemas.ts';

const common = { tag: 'Notifications', security: 'accessToken' } as const;
const settings = { schema: settingsSchema, example: settingsExample };

export const getSettingsDocs = describe({
  ...common,
  id: 'getNotificationSettings',
  summary: 'Notification settings',
  answer: { status: 200, description: 'The settings of the account.', ...settings },
});

export const changeSettingsDocs = describe({
  ...common,
  id: 'changeNotificationSettings',
  summary: 'Change the notification settings',
  description:
    'Fields that are not sent stay as they are. An alert is sent when a charge takes the balance, at the rate of ' +
    'exchange of that moment, below `lowBalanceThreshold`; once each time that it falls, and not more often than ' +
    'every `notificationIntervalHours` (fractions count, 0 is no pause): a fall within the interval is told when it ends, ' +
    'if the balance is still low.',
  body: { schema: settingsBody, example: settingsExample },
  answer: { status: 200, description: 'The settings as they are now.', ...settings },
});

export const sendTestDocs = describe({
  ...common,
  id: 'sendTestNotification',
  summary: 'Send a test mail',
  description: "Sends one to the user's address now, also where alerts are switched off. Three in ten minutes.",
  answer: {
    status: 200,
    description: 'What came of it. 200 also where the mail server did not take it: then `sent` is false.',
    schema: testResultSchema,
    example: { sent: true, to: 'anna@example.com', response: '250 2.0.0 Ok: queued as 4F2D11' },
  },
  errors: ['too_many_attempts'],
});
