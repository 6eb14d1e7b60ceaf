/**
 * What a person sees when the API refuses, is unavailable or fails: what has happened, what helps, and how to continue.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chromiumPath } from '../harness/clients/browser.ts';
import { expectAccessible } from './harness/audit.ts';
import { type Dashboard, startDashboard } from './harness/dashboard.ts';

/** More guesses than are free. */
const guessesMax = 30;
const requestId = '01945b2e-7c1a-7d3e-8f10-2b3c4d5e6f70';

/** Runs in the page. */
const noteClick = `document.addEventListener('click', ({ target }) => {
  if (target.closest('[role=alert] button')) document.body.setAttribute('data-clicked', '');
}, true)`;

describe.skipIf(!chromiumPath)('a refusal in the browser', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  test('too many wrong passwords show how long to wait', async () => {
    const { email } = await dashboard.harness.createCustomer({ usd: '0' });
    const page = await dashboard.openAs(undefined, '/login');
    await page.getByLabel('Email').fill(email);
    const wait = page.getByText(/^Wait \d+ seconds?, then try again\.$/);
    const wrong = page.getByText('Wrong email or password.');
    for (let guess = 0; guess < guessesMax && (await wait.count()) === 0; guess += 1) {
      await page.getByLabel('Password').fill(`wrong password ${guess}`);
      const refused = page.waitForResponse('**/api/auth/login');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await refused;
      await wait.or(wrong).first().waitFor();
    }
    await wait.waitFor();
    await expectAccessible(page);
    dashboard.expectClean();
  });

  test.each([
    [503, 'Temporarily unavailable', 'Requests to the models are not affected.'],
    [500, 'Something went wrong on our side', `Request ID: ${requestId}`],
    [429, 'Too many requests', 'Wait 7 seconds, then try again.'],
  ])('a response with the status %d is explained, and “Try again” shows the page', async (status, title, text) => {
    const customer = await dashboard.harness.createCustomer({ usd: '5' });
    const page = await dashboard.openAs(customer, '/profile');
    const error = { message: 'As a program reads it.', type: 'api_error', code: 'scripted', param: null };
    const headers = { 'x-request-id': requestId, 'retry-after': '7' };
    // Live events may make the page ask again at any time: it must not recover before the click.
    await page.evaluate(noteClick);
    const hasClicked = () => page.evaluate('document.body.hasAttribute("data-clicked")');
    await page.route('**/api/proxy-keys*', async (route) => {
      if (await hasClicked()) await route.fallback();
      else await route.fulfill({ status, headers, json: { error } });
    });
    await page.getByRole('link', { name: 'Keys' }).click();
    const alert = page.getByRole('alert');
    await alert.getByRole('heading', { name: title }).waitFor();
    expect(await alert.innerText()).toContain(text);
    expect(await alert.innerText()).not.toContain('As a program reads it.');
    await expectAccessible(page);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('row', { name: /test/ }).waitFor();
    dashboard.expectClean();
  });
});
