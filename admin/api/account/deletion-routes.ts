/** DELETE /api/account, by its user, and DELETE /api/operator/accounts/{id}, by an operator. */
import { Elysia } from 'elysia';
import { checkValue } from '../../../shared/http/check-value.ts';
import { type DeletionInput, deleteAccount, ownAccount } from '../../accounts/deletion/delete-account.ts';
import { authorized } from '../../auth/authorize.ts';
import type { LoginProtection } from '../../auth/login-protection.ts';
import { confirmPassword } from '../../auth/passwords/confirm-password.ts';
import { expiredRefreshCookie } from '../../auth/sessions/refresh-cookie.ts';
import { callerAddress } from '../../http/request/caller-address.ts';
import { checkQuery } from '../../http/request/check-query.ts';
import { preferredLanguage } from '../../http/request/preferred-language.ts';
import { requestIdOf } from '../../http/response-headers.ts';
import type { Actor } from '../../operations/audit/record-action.ts';
import type { AdminServices } from '../../services.ts';
import { deliverOutbox } from '../../wallets/deliver-outbox.ts';
import { parseUsdAmount, type UsdAmount } from '../fields/usd-amount.ts';
import { idParams, parseReason } from '../operator/operator-schemas.ts';
import { deleteAccountDocs, operatorDeleteAccountDocs } from './account-docs.ts';
import { type Deleted, deletionBody, operatorDeletionBody, renderDeleted } from './deletion-schemas.ts';

const accountParams = idParams('an account');

const nanoOf = (amount: UsdAmount | undefined) => (amount === undefined ? undefined : parseUsdAmount(amount));

export function deletionRoute(services: AdminServices, protection: LoginProtection) {
  const { config, heavyChanges } = services;
  return new Elysia({ prefix: '/api/account' }).use(authorized(services)).delete(
    '',
    async ({ body, caller, headers, request, server, set }) => {
      const { current_password: password, forfeitBalanceUsd } = checkValue(deletionBody, body);
      const address = callerAddress({ request, server }, config);
      await confirmPassword(protection, { user: caller, password, address });
      // Without the address, which is erased.
      const actor = {
        name: `user ${caller.id}`,
        userId: caller.id,
        address: null,
        requestId: requestIdOf(set),
        isMember: true,
      };
      const { accountId } = caller;
      const input = {
        accountId,
        forfeitNano: nanoOf(forfeitBalanceUsd),
        language: preferredLanguage(headers['accept-language']),
        reason: undefined,
        self: caller,
      };
      const response = await heavyChanges.run({ kind: 'change', accountId, signal: request.signal }, () =>
        remove(services, actor, input),
      );
      set.headers['set-cookie'] = expiredRefreshCookie(config.publicUrl);
      return response;
    },
    deleteAccountDocs,
  );
}

export function operatorDeletionRoute(services: AdminServices) {
  return new Elysia({ prefix: '/api/operator/accounts' }).use(authorized(services)).delete(
    '/:id',
    async ({ actor, body, caller, params }) => {
      const accountId = checkQuery(accountParams, params).id;
      const { reason, forfeitBalanceUsd } = checkValue(operatorDeletionBody, body);
      if (accountId === caller.homeAccountId || accountId === caller.accountId) throw ownAccount();
      return remove(services, actor, {
        accountId,
        forfeitNano: nanoOf(forfeitBalanceUsd),
        language: undefined,
        reason: parseReason(reason),
        self: undefined,
      });
    },
    operatorDeleteAccountDocs,
  );
}

/** An unreachable Redis is no error: the account is deleted, and no one could repeat the request. */
async function remove(services: AdminServices, actor: Actor, input: DeletionInput): Promise<Deleted> {
  const { database, keeper, log } = services;
  const deleted = await deleteAccount(database.db, actor, input);
  try {
    for (const id of [input.accountId, ...deleted.left]) await deliverOutbox({ sql: database.sql, keeper }, id);
    return renderDeleted(deleted, true);
  } catch (error) {
    const { accountId } = input;
    log.warn(
      { err: error, accountId },
      'keys of a deleted account are not refused yet; the outbox worker will deliver it',
    );
    return renderDeleted(deleted, false);
  }
}
