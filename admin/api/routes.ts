/** Everything under /api that the documentation describes. */
import { Elysia } from 'elysia';
import { createGate } from '../auth/gate.ts';
import type { PasswordHasher } from '../auth/password-hasher.ts';
import { authenticateUser } from '../auth/require-user.ts';
import { authenticateBillingKey } from '../keys/authenticate-billing-key.ts';
import type { AdminServices } from '../services.ts';
import { deletionRoute, operatorDeletionRoute } from './account/deletion-routes.ts';
import { exportRoute } from './account/export-route.ts';
import { alertAddressRoutes } from './alert-addresses/address-routes.ts';
import { alertLinkRoutes } from './alert-addresses/link-routes.ts';
import { mailLinkRoutes } from './auth-mail-routes.ts';
import { authRoutes } from './auth-routes.ts';
import { balanceRoute } from './balance-route.ts';
import { companyRoute } from './company-route.ts';
import { keyRoutes } from './key-routes.ts';
import { notificationRoutes } from './notification-routes.ts';
import { operatorAccountsRoute } from './operator-accounts-route.ts';
import { operatorCatalogueRoute } from './operator-catalogue-route.ts';
import { operatorMoneyRoute } from './operator-money-route.ts';
import { operatorOperationsRoute } from './operator-operations-route.ts';
import { profileRoutes } from './profile-routes.ts';
import { reconciliationRoute } from './reconciliation-route.ts';
import { requestsRoute } from './requests-route.ts';
import { sessionRoutes } from './session-routes.ts';
import { transactionsRoute } from './transactions-route.ts';
import { usageRoute } from './usage-route.ts';

export function apiRoutes(services: AdminServices, passwords: PasswordHasher) {
  const gate = createGate(services, passwords);
  return new Elysia()
    .use(authRoutes(services, gate))
    .use(sessionRoutes(services))
    .use(mailLinkRoutes(services, gate))
    .use(profileRoutes(services, gate))
    .use(companyRoute(services))
    .use(exportRoute(services))
    .use(deletionRoute(services, gate))
    .use(notificationRoutes(services))
    .use(alertAddressRoutes(services, gate))
    .use(alertLinkRoutes(services))
    .use(balanceRoute(services))
    .use(transactionsRoute(services))
    .use(requestsRoute(services))
    .use(usageRoute(services))
    .use(keysByBillingKey(services))
    .use(keysByUser(services, 'proxy'))
    .use(keysByUser(services, 'billing'))
    .use(operatorAccountsRoute(services))
    .use(operatorDeletionRoute(services))
    .use(operatorMoneyRoute(services))
    .use(operatorCatalogueRoute(services))
    .use(operatorOperationsRoute(services))
    .use(reconciliationRoute(services));
}

function keysByBillingKey(services: AdminServices) {
  return keyRoutes(services, {
    prefix: '/api/keys',
    kind: 'proxy',
    docs: { tag: 'Proxy keys by billing key', security: 'billingKey', noun: 'Key' },
    authenticate: (db, authorization) => authenticateBillingKey(db, services.config.keyPepper, authorization),
  });
}

function keysByUser(services: AdminServices, kind: 'proxy' | 'billing') {
  const docs =
    kind === 'proxy'
      ? ({ tag: 'Proxy keys', noun: 'ProxyKey' } as const)
      : ({ tag: 'Billing keys', noun: 'BillingKey' } as const);
  return keyRoutes(services, {
    prefix: `/api/${kind}-keys`,
    kind,
    docs: { ...docs, security: 'accessToken' },
    authenticate: async (db, authorization, tokens) => {
      const user = await authenticateUser({ database: { db } }, tokens, authorization);
      return user.accountId;
    },
  });
}
