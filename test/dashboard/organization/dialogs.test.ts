/**
 * The dialogs of the page of the organization, the one for keys with its projects, and the menu: accessible, in both
 * languages, and on a phone.
 */
import { afterAll, beforeAll, describe, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { expectAccessible, expectAudited } from '../harness/audit.ts';
import { type Dashboard, type DashboardVisitor, settled, startDashboard } from '../harness/dashboard.ts';
import { createMember, seedBudget, seedInvitation, seedProject } from '../harness/organization.ts';
import { press, pressInRow } from './people.ts';

describe.skipIf(!chromiumPath)('the dialog', () => {
  let dashboard: Dashboard;
  let visitor: DashboardVisitor;
  beforeAll(async () => {
    dashboard = await startDashboard();
    const { harness } = dashboard;
    const owner = await harness.createCustomer({ usd: '0', email: 'owner@example.com' });
    const { accountId, userId } = owner;
    await createMember(harness, { accountId, role: 'admin', email: `${'long-'.repeat(12)}@example.com` });
    await seedInvitation(harness, { accountId, invitedBy: userId, email: 'invited@example.com' });
    const words = { description: 'long '.repeat(60), costCenter: 'x'.repeat(100) };
    const projectId = await seedProject(dashboard, owner, {
      name: 'p'.repeat(100),
      ...words,
      keyIds: [owner.proxyKeyId],
    });
    await seedBudget(dashboard, owner, { scope: 'organization', period: 'month', amount: '50', alertsAt: [33] });
    await seedBudget(dashboard, owner, { scope: 'project', scopeId: projectId, period: 'total', amount: '50' });
    visitor = await dashboard.newVisitor();
    await visitor.signIn(owner);
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  let tab: Page | undefined;
  const visit = async (path: string) => {
    tab = await visitor.visit(path, tab);
    return tab;
  };
  const projects = '/organization?tab=projects';
  const budgets = '/organization?tab=budgets';
  const dialogs: readonly (readonly [string, (page: Page) => Promise<unknown>, path?: string])[] = [
    ['that invites someone', (page) => press(page, 'Invite')],
    ['that changes a role', (page) => pressInRow(page, /long-/, 'Change role')],
    ['that removes a member', (page) => pressInRow(page, /long-/, 'Remove')],
    ['that leaves', (page) => pressInRow(page, /owner@/, 'Leave')],
    ['that revokes an invitation', (page) => pressInRow(page, /invited@/, 'Revoke')],
    ['that creates a project', (page) => press(page, 'Create project'), projects],
    ['that edits a project', (page) => pressInRow(page, /ppp/, 'Edit'), projects],
    ['that archives a project', (page) => pressInRow(page, /ppp/, 'Archive'), projects],
    [
      'that creates a budget',
      async (page) => {
        await press(page, 'Create budget');
        await page.getByRole('combobox', { name: 'Applies to' }).click();
        await page.getByRole('option', { name: 'Project' }).click();
      },
      budgets,
    ],
    ['that edits a budget', (page) => pressInRow(page, /Month/, 'Edit'), budgets],
    ['that deletes a budget', (page) => pressInRow(page, /ppp/, 'Delete'), budgets],
    [
      'that creates a key in a project',
      async (page) => {
        await press(page, 'Create key');
        await page.getByRole('combobox', { name: 'Project' }).waitFor();
        await press(page, 'Set limits');
      },
      '/keys',
    ],
    [
      'that creates an organization',
      async (page) => {
        await press(page, 'Switch organization');
        await press(page, 'Create organization');
        await page.getByLabel('Name').waitFor();
      },
    ],
  ];

  test.each([...dialogs])('%s is accessible and fits a phone', async (_, open, path = '/organization') => {
    const page = await visit(path);
    await open(page);
    await page.getByRole('dialog').waitFor();
    await expectAudited(page);
    dashboard.expectClean();
  });

  test('that switches between organizations is accessible', async () => {
    const page = await visit('/');
    await press(page, 'Switch organization');
    await page.getByRole('list', { name: 'Organizations' }).waitFor();
    await settled(page);
    await expectAccessible(page);
    dashboard.expectClean();
  });
});
