/** What each role finds at each address: the page, or the 404 page; and never a request that the API refuses. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Glob } from 'bun';
import type { Page } from 'playwright-core';
import { mayHaveKeys, type Role, roles } from '../../../admin/auth/permissions.ts';
import { rolesWithKeys } from '../../../dashboard/organization/members/roles-with-keys.ts';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { type Dashboard, follow, startDashboard } from '../harness/dashboard.ts';
import { createMember, seedBudget, seedProject } from '../harness/organization.ts';
import { paymentsEnvironment, seedPayments } from '../harness/payments.ts';
import { seedWebhooks } from '../harness/webhooks.ts';

const everyone = 'owner admin finance member auditor';
const payers = 'owner admin finance auditor';
/** Decided here, page by page, and not read from what the pages name. */
const allowed: Readonly<Record<string, string>> = {
  '/': everyone,
  '/keys': 'owner admin member auditor',
  '/models': everyone,
  '/playground': 'owner admin member',
  '/activity': everyone,
  '/usage': everyone,
  '/transactions': payers,
  '/billing': payers,
  '/alerts': payers,
  '/company': payers,
  '/organization': everyone,
  '/webhooks': 'owner admin auditor',
  '/profile': everyone,
};
/** Other views of a page, which ask for more. */
const views: Readonly<Record<string, readonly string[]>> = {
  '/keys': ['?kind=billing'],
  '/activity': ['?key=1', '?project=1', '?member=1'],
  '/usage': ['?by=project', '?by=member'],
  '/billing': ['?topUp=1', '?tab=documents', '?tab=automatic'],
  '/organization': ['?tab=members', '?tab=projects', '?tab=budgets', '?tab=settings', '?tab=audit'],
};
/** Buttons that are on a page for these roles only. */
const buttons: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/keys': { 'Create key': 'owner admin member', Delete: 'owner admin member' },
  '/keys?kind=billing': { 'Create key': 'owner admin member' },
  '/billing': { 'Top up': 'owner finance' },
  '/billing?tab=documents': { 'Create document': 'owner finance' },
  '/alerts': { Save: 'owner finance', 'Send test email': 'owner finance', 'Add address': 'owner finance' },
  '/company': { Save: 'owner finance' },
  '/organization': { Invite: 'owner admin' },
  '/organization?tab=projects': { 'Create project': 'owner admin', Edit: 'owner admin', Archive: 'owner admin' },
  '/organization?tab=budgets': { 'Create budget': 'owner admin', Edit: 'owner admin', Delete: 'owner admin' },
  '/organization?tab=settings': { Save: 'owner', Apply: 'owner admin', 'Leave organization': 'finance member' },
  '/organization?tab=audit': { 'Export CSV': payers },
  '/webhooks': {
    ...{ 'Add endpoint': 'owner admin', Edit: 'owner admin', Delete: 'owner admin', 'Replace secret': 'owner admin' },
    ...{ 'Send test event': 'owner admin', Deactivate: 'owner admin', Deliveries: 'owner admin auditor' },
  },
  '/profile': { 'Delete account': 'owner' },
};

test('the dashboard knows which roles may have keys', () => {
  for (const role of roles) expect(rolesWithKeys.has(role)).toBe(mayHaveKeys(role));
});

test('every page of a user has its roles here', async () => {
  const folder = join(import.meta.dir, '../../../dashboard');
  const paths: string[] = [];
  for await (const file of new Glob('*/page.ts').scan({ cwd: folder, absolute: true })) {
    const source = await Bun.file(file).text();
    expect(source).toMatch(/^ {2}staticData: \{ permission: '[\w:-]+' \},$/m);
    paths.push(/^ {2}path: '([^']+)',$/m.exec(source)?.[1] ?? file);
  }
  expect(paths.sort()).toEqual(Object.keys(allowed).sort());
});

describe.skipIf(!chromiumPath)('a role', () => {
  let dashboard: Dashboard;
  let accountId: number;
  beforeAll(async () => {
    dashboard = await startDashboard({ adminEnvironment: paymentsEnvironment });
    const owner = await dashboard.harness.createCustomer({ usd: '5' });
    accountId = owner.accountId;
    await seedPayments(dashboard, owner);
    await seedProject(dashboard, owner, { name: 'Bot', keyIds: [owner.proxyKeyId] });
    await seedBudget(dashboard, owner, { scope: 'organization', period: 'month', amount: '50' });
    await seedWebhooks(dashboard.harness, owner.accountId);
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  describe.each([...roles])('%s', (role) => {
    let page: Page;
    /** What the API has refused. */
    const refused: string[] = [];
    beforeAll(async () => {
      const member = await createMember(dashboard.harness, { accountId, role });
      // The account's keys are this member's own.
      await dashboard.harness.database.sql`
        UPDATE api_keys SET created_by = ${member.userId} WHERE account_id = ${accountId}`;
      const visitor = await dashboard.newVisitor();
      await visitor.signIn(member);
      visitor.context.once('page', (opened) =>
        opened.on('response', (response) => {
          if (response.status() === 403) refused.push(response.url());
        }),
      );
      page = await visitor.visit('/');
    });

    test('sees in the navigation the pages that it may open', async () => {
      const links = await page.locator('.navigation-link').evaluateAll((all) => all.map((a) => a.getAttribute('href')));
      const opened = Object.keys(allowed).filter((path) => isAllowed(role, allowed[path]));
      expect(links.filter((path) => path !== '/api/docs').sort()).toEqual(opened.sort());
    });

    test.each(Object.entries(allowed))(
      'finds at %s the page, with what it may do there, or none',
      async (path, names) => {
        for (const address of [path, ...(views[path] ?? []).map((view) => path + view)]) {
          await follow(page, address);
          const isMissing = (await page.getByRole('heading', { name: 'Page not found' }).count()) === 1;
          expect([address, isMissing]).toEqual([address, !isAllowed(role, names)]);
          if (!isMissing) await expectButtons(page, { role, address });
          expect([address, ...refused]).toEqual([address]);
        }
        dashboard.expectClean();
      },
    );
  });
});

const isAllowed = (role: Role, names = '') => names.split(' ').includes(role);

async function expectButtons(page: Page, { role, address }: { role: Role; address: string }): Promise<void> {
  for (const [name, names] of Object.entries(buttons[address] ?? {})) {
    const count = await page.getByRole('button', { name, exact: true }).count();
    expect([address, name, count > 0]).toEqual([address, name, isAllowed(role, names)]);
  }
}
