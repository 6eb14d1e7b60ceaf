/**
 * Whatever a customer, an operator, a model or a payer at a bank writes stays text on every page: no script runs, no
 * element is injected, the policy reports nothing, and only admin and the proxy are called.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { encode, statementOf } from '../admin/payments/bank/statement-text.ts';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { chromiumPath } from '../harness/clients/browser.ts';
import { type Customer, testPassword } from '../harness/customers.ts';
import { type Dashboard, type DashboardVisitor, follow, startDashboard } from './harness/dashboard.ts';
import { type Payment, paymentsEnvironment } from './harness/payments.ts';
import { textResponse } from './harness/playground.ts';

/** Each of them sets `attacked` if it is treated as HTML, Markdown or an address. */
const attacks = [
  '<img src=x onerror=attacked=1>',
  '<svg onload=attacked=1>',
  '"><script>attacked=1</script>',
  "<iframe srcdoc='<script>parent.attacked=1</script>'></iframe>",
];
const attack = attacks.join(' ');
/** Also to what fills in texts. */
const shortAttack = `${attacks[0]} {{count}} $t(title)`;
const markdown = `[click](javascript:attacked=1) ![](https://elsewhere.example/pixel.png)\n\n${attack}\n\n\`\`\`html\n${attack}\n\`\`\``;
/** What an address may have of it. */
const mailbox = (name: string) => `'onload='attacked=1'{{count}}${name}@example.com`;

describe.skipIf(!chromiumPath)('text that people and models write', () => {
  let dashboard: Dashboard;
  let customer: Customer;
  let customerVisitor: DashboardVisitor;
  let operatorVisitor: DashboardVisitor;
  beforeAll(async () => {
    dashboard = await startDashboard({ adminEnvironment: paymentsEnvironment });
    const { harness, newVisitor } = dashboard;
    customer = await harness.createCustomer({ usd: '5', email: mailbox('customer') });
    const operator = await harness.createCustomer({ usd: '0', role: 'operator' });
    [customerVisitor, operatorVisitor] = await Promise.all([newVisitor(), newVisitor()]);
    await Promise.all([customerVisitor.signIn(customer), operatorVisitor.signIn(operator)]);
    await writeEverywhere(customer, operator);
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  /** In one tab for each visitor. */
  const tabs = new Map<DashboardVisitor, Page>();
  const visit = async (visitor: DashboardVisitor, path: string) => {
    const page = await visitor.visit(path, tabs.get(visitor));
    tabs.set(visitor, page);
    return page;
  };
  const goTo = async (visitor: DashboardVisitor, path: string) => {
    const page = tabs.get(visitor);
    if (page === undefined) return visit(visitor, path);
    await follow(page, path);
    return page;
  };

  /** What each page shows of it, which proves that the page has it. */
  test.each([
    ['/', undefined],
    ['/keys', shortAttack],
    ['/keys?kind=billing', shortAttack],
    ['/activity', shortAttack],
    ['/usage?by=key', shortAttack],
    ['/usage?by=project', shortAttack],
    ['/usage?by=member', mailbox('customer')],
    ['/organization?tab=projects', attack],
    ['/transactions', attack],
    ['/billing', undefined],
    ['/billing?tab=documents', undefined],
    ['/alerts', mailbox('alerts')],
    ['/company', undefined],
    ['/profile', mailbox('customer')],
    ['/models', undefined],
    ['/playground', undefined],
  ])('stays text on %s', async (path, written) => {
    const page = await goTo(customerVisitor, path);
    if (written !== undefined) await page.getByText(written).first().waitFor();
    await expectText(page);
  });

  test.each<[path: string, ...written: string[]]>([
    ['accounts', mailbox('customer')],
    ['accounts/ID', shortAttack],
    ['accounts/ID?tab=requests', mailbox('customer')],
    ['accounts/ID?tab=transactions', attack],
    ['accounts/ID?tab=users', shortAttack],
    ['payments', attack],
    ['payments?tab=bank', attack, shortAttack],
    ['mails?state=all', mailbox('alerts')],
    ['audit', attack],
    ['health'],
    ['catalogue'],
    ['reconciliation'],
  ])('stays text for operators on %s', async (path, ...written) => {
    const page = await goTo(operatorVisitor, `/operator/${path.replace('ID', String(customer.accountId))}`);
    for (const text of written) await page.getByText(text).first().waitFor();
    await expectText(page);
  });

  test('stays text in prompts and answers of the playground', async () => {
    dashboard.provider.on('upstream-chat', textResponse(markdown));
    const page = await visit(customerVisitor, '/playground?model=test%2Fchat');
    await page.getByLabel('Message').fill(markdown);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('.model-response-facts').waitFor();
    await page.locator('.markdown', { hasText: 'click' }).waitFor();
    await expectText(page);
    await page.getByRole('button', { name: 'View code' }).click();
    await page.getByRole('dialog').waitFor();
    await expectText(page);
  });

  test('stays text in the address', async () => {
    const hostile = encodeURIComponent(attack);
    const models = await visit(customerVisitor, `/models?q=${hostile}`);
    expect(await models.getByLabel('Search models').inputValue()).toBe(attack);
    await expectText(models);
    const stranger = await dashboard.newVisitor();
    for (const [visitor, path] of [
      [operatorVisitor, `/operator/accounts?search=${hostile}`],
      [customerVisitor, `/no-such-page?x=${hostile}`],
      [customerVisitor, `/login?back=javascript:attacked=1`],
      [stranger, `/reset-password?token=${hostile}`],
      [stranger, `/verify-email?token=${hostile}`],
    ] as const) {
      await expectText(await visit(visitor, path));
    }
  });

  test('is found if it is not text', async () => {
    const page = await visit(customerVisitor, '/profile');
    await page.evaluate(`document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(shortAttack)})`);
    expect(await page.evaluate(findInjected)).toEqual(['img']);
    await waitFor('the report of the policy', guardTimeoutMs, async () => {
      try {
        dashboard.expectClean();
        return false;
      } catch (error) {
        return /Content Security Policy/.test(String(error));
      }
    });
  });

  async function expectText(page: Page): Promise<void> {
    expect(await page.evaluate('globalThis.attacked')).toBeUndefined();
    expect(await page.evaluate(findInjected)).toEqual([]);
    dashboard.expectClean();
  }

  /** Through the API, as the pages do it. */
  async function writeEverywhere(of: Customer, operator: Customer): Promise<void> {
    const { url } = dashboard.admin;
    const tokenOf = async ({ email }: Customer) => {
      const { accessToken } = await post<{ accessToken: string }>('/api/auth/login', { email, password: testPassword });
      return accessToken;
    };
    async function send<Body>(method: string, path: string, body: object, token?: string): Promise<Body> {
      const headers: Record<string, string> = {
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
      };
      if (token !== undefined) headers.authorization = `Bearer ${token}`;
      const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return JSON.parse(text === '' ? 'null' : text) as Body;
    }
    const post = <Body>(path: string, body: object, token?: string) => send<Body>('POST', path, body, token);
    const token = await tokenOf(of);
    const operatorToken = await tokenOf(operator);
    await send(
      'PUT',
      '/api/profile',
      { displayName: shortAttack, avatarUrl: 'https://elsewhere.example/x.png' },
      token,
    );
    const project = { name: shortAttack, description: attack, costCenter: shortAttack };
    const { id: projectId } = await post<{ id: number }>('/api/projects', project, token);
    const { key } = await post<{ key: string }>('/api/proxy-keys', { name: shortAttack, projectId }, token);
    await post('/api/billing-keys', { name: shortAttack }, token);
    const company = { companyName: attack, directorName: shortAttack, legalAddress: attack, bankName: shortAttack };
    await send('PUT', '/api/profile/details', { accountType: 'OOO', ...company }, token);
    await post('/api/settings/notifications/addresses', { email: mailbox('alerts') }, token);
    const payment = { accountId: of.accountId, usd: '1', reason: attack };
    await post('/api/operator/payments', payment, operatorToken);
    const created = await post<Payment>('/api/payments', { method: 'test', amount: '1000.00', currency: 'RUB' }, token);
    await dashboard.harness.database.sql`
      UPDATE payments SET status = 'review', problem = ${attack} WHERE id = ${created.id}`;
    const statement = encode(statementOf([{ purpose: attack, payerName: shortAttack }]), 'windows-1251');
    await post('/api/operator/bank-statements', { file: statement.toBase64() }, operatorToken);
    dashboard.provider.on('upstream-chat', textResponse(markdown));
    const response = await fetch(`${dashboard.proxy.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test/chat', messages: [{ role: 'user', content: markdown }], stream: true }),
    });
    await response.text();
    expect(response.status).toBe(200);
  }
});

/** Runs in the page: elements, handlers and addresses that only an attack makes. */
const findInjected = `[...document.querySelectorAll('*')].filter((element) =>
  element.matches('iframe, object, embed, img, script:not([src]), base, form[action], b') ||
  [...element.attributes].some(({ name, value }) => name.startsWith('on') || /^\\s*javascript:/i.test(value))
).map((element) => element.localName)`;
