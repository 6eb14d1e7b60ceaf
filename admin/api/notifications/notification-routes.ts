/** /api/settings/notifications: when and in which language an account gets low-balance alerts. */
import { Elysia } from 'elysia';
import { checkValue } from '../../../shared/http/check-value.ts';
import { authorized } from '../../auth/authorize.ts';
import { Throttle, throttleKey } from '../../auth/throttle/throttle.ts';
import { readRate } from '../../catalogue/exchange-rate/exchange-rate.ts';
import { refuseUnproven } from '../../database/rows/account-state.ts';
import { readSettings } from '../../database/rows/notification-settings.ts';
import { settablePart } from '../../http/request/settable-part.ts';
import { changeSettings } from '../../notifications/change-settings.ts';
import { sendTestMail } from '../../notifications/send-test-mail.ts';
import type { AdminServices } from '../../services.ts';
import { withoutDecimals } from '../fields/money.ts';
import { changeSettingsDocs, getSettingsDocs, sendTestDocs } from './notification-docs.ts';
import { readSettingsChange, renderSettings, settingsBody, testsRefusal } from './notification-schemas.ts';

const testsMax = 3;
const testsWindowMs = 10 * 60_000;

export function notificationRoutes(services: AdminServices) {
  const { db, sql } = services.database;
  const throttle = new Throttle(services.redis, services.log);
  return new Elysia({ prefix: '/api/settings/notifications' })
    .use(authorized(services))
    .get('', async ({ caller }) => renderSettings(await readSettings(db, caller.accountId)), getSettingsDocs)
    .put(
      '',
      async ({ actor, body, caller }) => {
        const shown = renderSettings(await readSettings(db, caller.accountId));
        const part = settablePart(withoutDecimals(body), { shown, schema: settingsBody });
        const change = readSettingsChange(checkValue(settingsBody, part));
        const terms = { rate: await readRate(sql, services.config), at: new Date() };
        return renderSettings(await changeSettings(sql, { actor, accountId: caller.accountId, change }, terms));
      },
      changeSettingsDocs,
    )
    .post(
      '/test',
      async ({ caller }) => {
        await refuseUnproven(db, caller.accountId);
        const counter = { key: throttleKey('tests', String(caller.accountId)), max: testsMax, windowMs: testsWindowMs };
        await throttle.take([counter], testsRefusal);
        const { language } = await readSettings(db, caller.accountId);
        const result = await sendTestMail(services, { to: caller.email, language, at: new Date() });
        // The names of our servers and folders are no business of a customer's.
        const response = caller.role === 'operator' ? result.response : null;
        return { sent: result.sent, to: caller.email, response };
      },
      sendTestDocs,
    );
}
