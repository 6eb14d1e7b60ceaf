/** Every page. A page is one folder with a `page.ts`, and one line here; its components load when it is opened. */
import { activityPage } from '../activity/page.ts';
import { alertsPage } from '../alerts/page.ts';
import { billingPage } from '../billing/page.ts';
import { companyPage } from '../company/page.ts';
import { keysPage } from '../keys/page.ts';
import { modelsPage } from '../models/page.ts';
import { accountPage } from '../operator/account/page.ts';
import { accountsPage } from '../operator/accounts/page.ts';
import { auditPage } from '../operator/audit/page.ts';
import { cataloguePage } from '../operator/catalogue/page.ts';
import { healthPage } from '../operator/health/page.ts';
import { mailsPage } from '../operator/mails/page.ts';
import { paymentsPage } from '../operator/payments/page.ts';
import { reconciliationPage } from '../operator/reconciliation/page.ts';
import { organizationPage } from '../organization/page.ts';
import { overviewPage } from '../overview/page.ts';
import { playgroundPage } from '../playground/page.ts';
import { profilePage } from '../profile/page.ts';
import { acceptInvitationPage } from '../sign-in/accept-invitation/page.ts';
import { forgotPasswordPage } from '../sign-in/forgot-password/page.ts';
import { loginPage } from '../sign-in/login/page.ts';
import { registerPage } from '../sign-in/register/page.ts';
import { resetPasswordPage } from '../sign-in/reset-password/page.ts';
import { verifyEmailPage } from '../sign-in/verify-email/page.ts';
import { transactionsPage } from '../transactions/page.ts';
import { usagePage } from '../usage/page.ts';
import { webhooksPage } from '../webhooks/page.ts';
import { operatorParent, publicParent, rootRoute, userParent } from './router/parents.ts';

const publicPages = publicParent.addChildren([
  loginPage,
  registerPage,
  verifyEmailPage,
  forgotPasswordPage,
  resetPasswordPage,
  acceptInvitationPage,
]);

const userPages = userParent.addChildren([
  overviewPage,
  keysPage,
  alertsPage,
  companyPage,
  modelsPage,
  playgroundPage,
  activityPage,
  usagePage,
  transactionsPage,
  billingPage,
  organizationPage,
  webhooksPage,
  profilePage,
  // Operators only.
  operatorParent.addChildren([
    accountsPage,
    accountPage,
    paymentsPage,
    cataloguePage,
    healthPage,
    reconciliationPage,
    mailsPage,
    auditPage,
  ]),
]);

export const routeTree = rootRoute.addChildren([publicPages, userPages]);
