/**
 * What the files beside this one test: pages in both languages and themes, wide and narrow, each file as one visitor.
 */
import { afterAll, beforeAll, describe, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { chromiumPath } from '../../harness/clients/browser.ts';
import type { Customer } from '../../harness/customers.ts';
import { expectAudited, type View, views } from '../harness/audit.ts';
import { type Dashboard, type DashboardVisitor, follow, startDashboard } from '../harness/dashboard.ts';
import { paymentsEnvironment } from '../harness/payments.ts';

export const userPaths = [
  '/',
  '/keys',
  '/keys?kind=billing',
  '/models',
  '/playground',
  '/activity',
  '/usage',
  '/usage?by=project',
  '/transactions',
  '/billing',
  '/billing?topUp=1',
  '/billing?tab=documents',
  '/billing?tab=automatic',
  '/alerts',
  '/company',
  '/organization',
  '/organization?tab=projects',
  '/organization?tab=budgets',
  '/organization?tab=sign-in',
  '/organization?tab=settings',
  '/organization?tab=audit',
  '/webhooks',
  '/profile',
  '/no-such-page',
];

/** `visitorOf` creates the customer who signs in; if it creates none, the visitor is not signed in. */
export function auditPages(
  who: string,
  paths: readonly string[],
  visitorOf: (dashboard: Dashboard) => Promise<Customer | undefined>,
  audited: readonly View[] = views,
): void {
  describe.skipIf(!chromiumPath)('a page is accessible and fits a phone:', () => {
    let dashboard: Dashboard;
    let visitor: DashboardVisitor;
    let tab: Page | undefined;
    beforeAll(async () => {
      dashboard = await startDashboard({ adminEnvironment: paymentsEnvironment });
      visitor = await dashboard.newVisitor();
      const customer = await visitorOf(dashboard);
      if (customer !== undefined) await visitor.signIn(customer);
    });
    afterAll(() => dashboard?.[Symbol.asyncDispose]());

    test.each([...paths])(`%s ${who}`, async (path) => {
      if (tab === undefined) tab = await visitor.visit(path);
      else await follow(tab, path);
      await expectAudited(tab, audited);
      dashboard.expectClean();
    });
  });
}
