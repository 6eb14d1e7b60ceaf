/** /api/organization/sign-in: what members must sign in with, and the identity provider. */
import { Elysia } from 'elysia';
import { checkValue } from '../../../../shared/http/check-value.ts';
import { authorized } from '../../../auth/authorize.ts';
import type { LoginProtection } from '../../../auth/login-protection.ts';
import { callerAddress } from '../../../http/request/caller-address.ts';
import { checkQuery } from '../../../http/request/check-query.ts';
import { proveDomain } from '../../../organizations/single-sign-on/domains.ts';
import { changeProvider, readSignIn, removeProvider } from '../../../organizations/single-sign-on/provider-settings.ts';
import { changeSignInRule } from '../../../organizations/single-sign-on/require-sign-in.ts';
import { redirectUriOf } from '../../../organizations/single-sign-on/sign-in.ts';
import type { AdminServices } from '../../../services.ts';
import {
  changeProviderDocs,
  changeSignInDocs,
  getSignInDocs,
  proveDomainDocs,
  removeProviderDocs,
} from './sign-in-docs.ts';
import { domainParams, providerBody, renderSignIn, signInBody } from './sign-in-schemas.ts';

export function signInRoutes(services: AdminServices, protection: LoginProtection) {
  const { config, database } = services;
  const { db } = database;
  const shown = async (accountId: number) => renderSignIn(await readSignIn(db, accountId), redirectUriOf(config));
  return new Elysia({ prefix: '/api/organization/sign-in' })
    .use(authorized(services))
    .get('', ({ caller }) => shown(caller.accountId), getSignInDocs)
    .put(
      '',
      async ({ actor, body, caller }) => {
        const { require: rule } = checkValue(signInBody, body);
        await changeSignInRule(db, actor, { caller, rule });
        return shown(caller.accountId);
      },
      changeSignInDocs,
    )
    .put(
      '/oidc',
      async ({ actor, body, caller, request, server }) => {
        const { clientSecret, ...settings } = checkValue(providerBody, body);
        await protection.requests.countSignIn(callerAddress({ request, server }, config));
        await changeProvider({ db, config }, actor, { caller, change: { ...settings, clientSecret } });
        return shown(caller.accountId);
      },
      changeProviderDocs,
    )
    .delete(
      '/oidc',
      async ({ actor, caller, set }) => {
        await removeProvider(db, actor, caller);
        set.status = 204;
      },
      removeProviderDocs,
    )
    .post(
      '/domains/:domain/prove',
      async ({ actor, caller, params, request, server }) => {
        const { domain } = checkQuery(domainParams, params);
        await protection.requests.countSignIn(callerAddress({ request, server }, config));
        const { dnsServer } = config;
        await proveDomain(db, actor, caller, { domain: domain.toLowerCase(), dnsServer });
        return shown(caller.accountId);
      },
      proveDomainDocs,
    );
}
