/** All documented routes under /api. */
import { Elysia } from 'elysia';
import { authenticateUser, scopeOf } from '../auth/authorize.ts';
import { createLoginProtection } from '../auth/login-protection.ts';
import type { PasswordHasher } from '../auth/passwords/password-hasher.ts';
import { authenticateBillingKey } from '../keys/authenticate-billing-key.ts';
import type { PaymentServices } from '../payments/payment-services.ts';
import type { AdminServices } from '../services.ts';
import { deletionRoute, operatorDeletionRoute } from './account/deletion-routes.ts';
import { exportRoute } from './account/export-route.ts';
import { alertAddressRoutes } from './alert-addresses/address-routes.ts';
import { alertLinkRoutes } from './alert-addresses/link-routes.ts';
import { authRoutes } from './auth/auth-routes.ts';
import { mailLinkRoutes } from './auth/mail-link-routes.ts';
import { sessionRoutes } from './auth/session-routes.ts';
import { singleSignOnRoutes } from './auth/single-sign-on-routes.ts';
import { documentRoutes } from './documents/document-routes.ts';
import { operatorDocumentsRoute } from './documents/operator-documents-route.ts';
import { eventsRoute } from './events/events-route.ts';
import { firstStepsRoute } from './first-steps/first-steps-route.ts';
import { modelsRoute } from './gateway/models-route.ts';
import { siteRoute } from './gateway/site-route.ts';
import { keyRoutes } from './keys/key-routes.ts';
import { balanceRoute } from './money/balance-route.ts';
import { errorsRoute } from './money/errors-route.ts';
import { requestsRoute } from './money/requests-route.ts';
import { transactionsRoute } from './money/transactions-route.ts';
import { usageRoute } from './money/usage-route.ts';
import { notificationRoutes } from './notifications/notification-routes.ts';
import { operatorAccountsRoute } from './operator/accounts-route.ts';
import { operatorCatalogueRoute } from './operator/catalogue-route.ts';
import { operatorMoneyRoute } from './operator/credits-route.ts';
import { operatorOperationsRoute } from './operator/operations-route.ts';
import { operatorPriceListRoute } from './operator/price-list/price-list-route.ts';
import { reconciliationRoute } from './operator/reconciliation-route.ts';
import { sealsRoute } from './operator/seals-route.ts';
import { organizationAuditRoute } from './organizations/audit/audit-route.ts';
import { budgetRoutes } from './organizations/budgets/budget-routes.ts';
import { dataPolicyRoutes } from './organizations/data-policy/data-policy-routes.ts';
import { dimensionRoutes } from './organizations/dimensions/dimension-routes.ts';
import { invitationLinkRoutes, invitationRoutes } from './organizations/invitation-routes.ts';
import { allowListRoutes } from './organizations/ip-allow-list/ip-allow-list-routes.ts';
import { memberRoutes } from './organizations/member-routes.ts';
import { organizationRoutes, switchRoute } from './organizations/organization-routes.ts';
import { projectRoutes } from './organizations/projects/project-routes.ts';
import { signInRoutes } from './organizations/sign-in/sign-in-routes.ts';
import { autoTopUpRoute } from './payments/auto-top-up/auto-top-up-route.ts';
import { bankStatementsRoute } from './payments/bank-statements/bank-statements-route.ts';
import { operatorPaymentsRoute } from './payments/operator-payments-route.ts';
import { paymentRoutes } from './payments/payment-routes.ts';
import { webhookRoute } from './payments/webhook-route.ts';
import { playgroundRoute } from './playground/playground-route.ts';
import { detailsRoute, profileRoutes } from './profile/profile-routes.ts';
import { factorLoginRoutes } from './second-factor/log-in-routes.ts';
import { confirmRoutes, passkeyRoutes, secondFactorRoutes } from './second-factor/second-factor-routes.ts';
import { sessionListRoutes } from './sessions/sessions-routes.ts';
import { endpointRoutes } from './webhooks/endpoint-routes.ts';

export function apiRoutes(services: AdminServices, payments: PaymentServices, passwords: PasswordHasher) {
  const protection = createLoginProtection(services, passwords);
  return new Elysia()
    .use(siteRoute(services))
    .use(modelsRoute(services))
    .use(authRoutes(services, protection))
    .use(factorLoginRoutes(services, protection))
    .use(singleSignOnRoutes(services, protection))
    .use(sessionRoutes(services, protection))
    .use(mailLinkRoutes(services, protection))
    .use(switchRoute(services, protection))
    .use(organizationRoutes(services))
    .use(signInRoutes(services, protection))
    .use(organizationAuditRoute(services))
    .use(memberRoutes(services))
    .use(projectRoutes(services))
    .use(dimensionRoutes(services))
    .use(budgetRoutes(services))
    .use(allowListRoutes(services))
    .use(dataPolicyRoutes(services))
    .use(invitationRoutes(services))
    .use(endpointRoutes(services, protection))
    .use(invitationLinkRoutes(services, protection))
    .use(profileRoutes(services, protection))
    .use(detailsRoute(services))
    .use(secondFactorRoutes(services))
    .use(passkeyRoutes(services, protection))
    .use(confirmRoutes(services, protection))
    .use(sessionListRoutes(services))
    .use(exportRoute(services))
    .use(deletionRoute(services, protection))
    .use(notificationRoutes(services))
    .use(alertAddressRoutes(services, protection))
    .use(alertLinkRoutes(services))
    .use(balanceRoute(services))
    .use(transactionsRoute(services))
    .use(requestsRoute(services))
    .use(usageRoute(services))
    .use(autoTopUpRoute(services, payments))
    .use(paymentRoutes(services, payments))
    .use(webhookRoute(services, payments, protection))
    .use(documentRoutes(services))
    .use(firstStepsRoute(services))
    .use(errorsRoute(services))
    .use(eventsRoute(services))
    .use(keysByBillingKey(services))
    .use(keysByUser(services, 'proxy'))
    .use(keysByUser(services, 'billing'))
    .use(playgroundRoute(services))
    .use(operatorAccountsRoute(services))
    .use(operatorDeletionRoute(services))
    .use(operatorMoneyRoute(services))
    .use(operatorPaymentsRoute(services, payments))
    .use(bankStatementsRoute(services, payments))
    .use(operatorDocumentsRoute(services))
    .use(operatorCatalogueRoute(services))
    .use(operatorPriceListRoute(services))
    .use(operatorOperationsRoute(services))
    .use(reconciliationRoute(services))
    .use(sealsRoute(services));
}

function keysByBillingKey(services: AdminServices) {
  return keyRoutes(services, {
    prefix: '/api/keys',
    kind: 'proxy',
    docs: { tag: 'Proxy keys by billing key', credential: 'billingKey', noun: 'Key' },
    authenticate: async (db, { authorization }) => {
      const { accountId, prefix } = await authenticateBillingKey(db, services.config.keyPeppers, authorization);
      return { accountId, name: `billing key ${prefix}`, userId: null, keysOf: undefined };
    },
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
    docs: { ...docs, credential: 'accessToken' },
    authenticate: async (db, { authorization, permission, tokens }) => {
      const caller = await authenticateUser({ database: { db } }, tokens, authorization);
      const { accountId, email: name, id: userId } = caller;
      return { accountId, name, userId, ...scopeOf(caller, permission) };
    },
  });
}
