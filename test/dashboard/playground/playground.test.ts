/** The playground in the browser, on the real proxy: streams, costs and keys. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Request } from 'playwright-core';
import { guardTimeoutMs, logIn, readLedger, waitFor } from '../../harness/account-view.ts';
import { chromiumPath } from '../../harness/clients/browser.ts';
import type { Customer } from '../../harness/customers.ts';
import { streamedResponse } from '../../harness/providers/scripted-provider.ts';
import { expectAccessible, expectAudited, expectFits } from '../harness/audit.ts';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { enterPlayground, facts, response, say, settleTimeoutMs, textResponse } from '../harness/playground.ts';

describe.skipIf(!chromiumPath)('the playground', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  const isSend = (request: Request) => request.url().endsWith('/v1/chat/completions') && request.method() === 'POST';
  /** What the ledger has booked for the account, in nano-dollars. */
  const spent = async ({ accountId }: Customer) => (await readLedger(dashboard.harness, accountId)).spentNano;

  test('streams an answer and shows its tokens and its exact cost', async () => {
    dashboard.provider.on('upstream-chat', streamedResponse({ tokens: 21, promptTokens: 13 }));
    const { customer, page } = await enterPlayground(dashboard);
    await say(page, 'Count');
    await facts(page).getByText('13 tokens in').waitFor();
    // 13 tokens at $0.60 a million and 21 at $1.80.
    expect(await facts(page).innerText()).toContain('$0.0000456');
    expect(await response(page).locator('.model-response-text').innerText()).toStartWith('000001002003');
    expect(await page.locator('.spending-sum').innerText()).toContain('$0.0000456');
    await waitFor('the charge', settleTimeoutMs, async () => (await spent(customer)) === 45_600n);
    const { requests } = await (await logIn(dashboard.admin, customer)).get<{ requests: object[] }>('/api/requests');
    expect(requests).toMatchObject([{ charged: '0.0000456', promptTokens: 13, completionTokens: 21 }]);
    await expectAccessible(page);
    await expectFits(page);
    dashboard.expectClean();
  });

  test('continues a conversation, with its settings, after a visit to another page', async () => {
    dashboard.provider.on('upstream-chat', streamedResponse({ tokens: 2 }));
    const { page } = await enterPlayground(dashboard);
    await page.getByLabel('System prompt').fill('Be short.');
    await page.getByLabel('Temperature').fill('0.5');
    await say(page, 'First');
    await facts(page).getByText('tokens in').waitFor();
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    await page.getByRole('link', { name: 'Playground' }).click();
    await say(page, 'Second');
    await page.locator('.model-response-facts').nth(1).waitFor();
    const { messages, temperature } = dashboard.provider.requests.at(-1)?.body ?? {};
    expect(temperature).toBe(0.5);
    expect(messages).toEqual([
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'First' },
      { role: 'assistant', content: '000001' },
      { role: 'user', content: 'Second' },
    ]);
    dashboard.expectClean();
  });

  test('compares two models side by side', async () => {
    dashboard.provider.on('upstream-chat', streamedResponse({ tokens: 3 }));
    dashboard.provider.on('upstream-priced', streamedResponse({ tokens: 5 }));
    const { page } = await enterPlayground(dashboard);
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByLabel('Compare with').click();
    await page.getByRole('option', { name: 'test/priced-output' }).click();
    await say(page, 'Both of you');
    const both = page.locator('.model-response-facts');
    await both.nth(1).getByText('tokens in').waitFor();
    expect(await both.nth(0).innerText()).toContain('3 out');
    // 5 tokens at 10 micro-dollars; the prompt is free.
    expect(await both.nth(1).innerText()).toContain('$0.00005');
    expect(new URL(page.url()).search).toBe('?model=test%2Fchat&with=test%2Fpriced-output');
    await expectAccessible(page);
    await expectFits(page);
    dashboard.expectClean();
  });

  test('shows Markdown of a model: lists, tables, code and links', async () => {
    const text =
      '# Plan\n\n1. **One**\n2. `two`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n' +
      '```python\nprint(1)\n```\n\nhttps://example.com';
    dashboard.provider.on('upstream-chat', textResponse(text));
    const { page } = await enterPlayground(dashboard);
    await say(page, 'Plan');
    await facts(page).waitFor();
    const shown = response(page).locator('.markdown');
    await shown.waitFor();
    expect(await shown.locator('li').allInnerTexts()).toEqual(['One', 'two']);
    expect(await shown.locator('td').allInnerTexts()).toEqual(['1', '2']);
    expect(await shown.locator('pre').innerText()).toBe('print(1)');
    expect(await shown.locator('a').getAttribute('rel')).toBe('noopener noreferrer nofollow');
    await expectAccessible(page);
    await expectFits(page);
    dashboard.expectClean();
  });

  test('shows HTML, scripts and pictures of a model as text and links', async () => {
    const nasty =
      '<img src=x onerror="alert(1)"> [x](javascript:alert(1)) ![pixel](https://elsewhere.example/pixel.png)\n\n' +
      '```html\n<script>alert(1)</script>\n```';
    dashboard.provider.on('upstream-chat', textResponse(nasty));
    const { page } = await enterPlayground(dashboard);
    await say(page, '<b>bold</b>');
    await facts(page).waitFor();
    expect(await page.locator('.turn-message .plain-text').innerText()).toBe('<b>bold</b>');
    await response(page).locator('.markdown').waitFor();
    expect(await response(page).innerText()).toContain('<img src=x onerror="alert(1)"> x pixel');
    const links = response(page).locator('.markdown a');
    expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).toEqual([
      'https://elsewhere.example/pixel.png',
    ]);
    expect(await response(page).locator('pre').innerText()).toBe('<script>alert(1)</script>');
    expect(await page.locator('.turn img, .turn script, .turn a[href^="javascript"], .turn b').count()).toBe(0);
    dashboard.expectClean();
  });

  test('uses a key that is only in memory, and that is deleted with the session', async () => {
    dashboard.provider.on('upstream-chat', streamedResponse({ tokens: 2 }));
    const { page } = await enterPlayground(dashboard);
    const sent = page.waitForRequest(isSend);
    await say(page, 'Hello');
    const authorization = (await (await sent).headerValue('authorization')) ?? '';
    const ask = () => fetch(`${dashboard.proxy.url}/v1/key`, { headers: { authorization } });
    expect((await ask()).status).toBe(200);
    const key = authorization.replace('Bearer ', '');
    expect(await page.evaluate('JSON.stringify(localStorage) + JSON.stringify(sessionStorage)')).not.toContain(key);
    expect(await page.content()).not.toContain(key);
    await page.locator('.user-button').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to your account' }).waitFor();
    await waitFor('the key to be refused', guardTimeoutMs, async () => (await ask()).status === 401);
    dashboard.expectClean();
  });

  test('shows the code of the conversation in three languages', async () => {
    const { page } = await enterPlayground(dashboard);
    await page.getByLabel('Message').fill("It's me");
    await page.getByRole('button', { name: 'View code' }).click();
    const dialog = page.getByRole('dialog', { name: 'View code' });
    await dialog.getByText("It'\\''s me").waitFor();
    expect(await dialog.locator('pre').innerText()).toContain(`${dashboard.proxy.url}/v1/chat/completions`);
    for (const name of ['Python', 'TypeScript']) {
      await dialog.getByRole('tab', { name }).click();
      await dialog.getByText(/OpenAI\(\{? ?base/).waitFor();
    }
    await expectAccessible(page);
    await expectFits(page);
    dashboard.expectClean();
  });

  test('can be used with the keyboard alone', async () => {
    dashboard.provider.on('upstream-chat', streamedResponse({ tokens: 2 }));
    const { page } = await enterPlayground(dashboard);
    await page.getByLabel('Model').focus();
    await page.keyboard.type('failover');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/playground?model=test%2Ffailover');
    dashboard.provider.on('upstream-first', streamedResponse({ tokens: 2 }));
    await page.getByLabel('Message').focus();
    await page.keyboard.type('One line');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('and another');
    await page.keyboard.press('Enter');
    await facts(page).getByText('tokens in').waitFor();
    expect(dashboard.provider.requests.at(-1)?.prompt).toBe('One line\nand another');
    dashboard.expectClean();
  });

  test('is accessible and fits a phone', async () => {
    const { page } = await enterPlayground(dashboard);
    await expectAudited(page);
    dashboard.expectClean();
  });
});
