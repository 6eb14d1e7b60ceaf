/** /api/settings/notifications/addresses: who else gets low-balance alerts of an account. */
import { Elysia } from 'elysia';
import { checkValue } from '../../../shared/http/check-value.ts';
import { authorized } from '../../auth/authorize.ts';
import { parseEmail } from '../../auth/email-address.ts';
import type { LoginProtection } from '../../auth/login-protection.ts';
import { readSettings } from '../../database/rows/notification-settings.ts';
import { callerAddress } from '../../http/request/caller-address.ts';
import { checkQuery } from '../../http/request/check-query.ts';
import { addAddress } from '../../notifications/addresses/add-address.ts';
import { listAddresses, removeAddress } from '../../notifications/addresses/alert-address.ts';
import type { AdminServices } from '../../services.ts';
import { addAddressDocs, listAddressesDocs, removeAddressDocs } from './address-docs.ts';
import { addressBody, addressParams, renderAddress } from './address-schemas.ts';

export function alertAddressRoutes(services: AdminServices, protection: LoginProtection) {
  const { config, database } = services;
  const { db } = database;
  return new Elysia({ prefix: '/api/settings/notifications/addresses' })
    .use(authorized(services))
    .get(
      '',
      async ({ caller }) => ({ addresses: (await listAddresses(db, caller.accountId)).map(renderAddress) }),
      listAddressesDocs,
    )
    .post(
      '',
      async ({ actor, body, caller, request, server, set }) => {
        const email = parseEmail(checkValue(addressBody, body).email);
        const address = callerAddress({ request, server }, config);
        await protection.requests.countMail({ purpose: 'alert_address', to: email, address });
        // The recipient has set no language, so the alerts use the account's.
        const { language } = await readSettings(db, caller.accountId);
        const added = await addAddress(db, actor, caller, { email, language, publicUrl: config.publicUrl });
        set.status = 201;
        return renderAddress(added);
      },
      addAddressDocs,
    )
    .delete(
      '/:id',
      async ({ actor, caller, params, set }) => {
        const { id } = checkQuery(addressParams, params);
        await removeAddress(db, actor, { id, accountId: caller.accountId });
        set.status = 204;
      },
      removeAddressDocs,
    );
}
