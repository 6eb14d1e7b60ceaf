/** A page of another origin, in a real browser, can log its visitor neither in nor out. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Server } from 'bun';
import type { Page } from 'playwright-core';
import { chromiumPath } from '../harness/clients/browser.ts';
import { type Customer, testPassword } from '../harness/customers.ts';
import { type Dashboard, startDashboard } from './harness/dashboard.ts';

let dashboard: Dashboard;
let foreign: Server<undefined>;
/** A reverse proxy that rewrites `Host`, at PUBLIC_URL. */
let reverseProxy: Server<undefined>;

/** A form sends `name=value`: JSON, if a text in it has an equals sign, which e-mail addresses and names may have. */
function asForm(body: object): { name: string; value: string } {
  const [name = '', ...value] = JSON.stringify(body).split('=');
  return { name, value: value.join('=') };
}

describe.skipIf(!chromiumPath)('a page of another origin', () => {
  let attacker: Customer;
  beforeAll(async () => {
    reverseProxy = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: (request) => {
        const { pathname, search } = new URL(request.url);
        const headers = new Headers(request.headers);
        headers.set('host', 'admin.internal');
        const { method, body } = request;
        return fetch(`${dashboard.admin.url}${pathname}${search}`, { method, headers, body, decompress: false });
      },
    });
    dashboard = await startDashboard({ adminEnvironment: { PUBLIC_URL: `http://127.0.0.1:${reverseProxy.port}` } });
    attacker = await dashboard.harness.createCustomer({ usd: '0', email: `a=${crypto.randomUUID()}@example.com` });
    foreign = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => new Response('<!doctype html><h1>Foreign</h1>', { headers: { 'content-type': 'text/html' } }),
    });
  });
  afterAll(async () => {
    await Promise.all([foreign.stop(true), reverseProxy.stop(true)]);
    await dashboard[Symbol.asyncDispose]();
  });

  const addresses = () => [dashboard.admin.url, `http://127.0.0.1:${reverseProxy.port}`];

  /** Submits a form of this type to the log-in, as a click on the foreign page would. */
  async function submit(page: Page, action: string, field: { name: string; value: string }): Promise<number> {
    await page.goto(`http://127.0.0.1:${foreign.port}/`);
    const posted = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.evaluate(`(() => {
      const [action, name, value] = ${JSON.stringify([action, field.name, field.value])};
      const form = Object.assign(document.createElement('form'), { method: 'post', action, enctype: 'text/plain' });
      form.append(Object.assign(document.createElement('input'), { name, value }));
      document.body.append(form);
      form.submit();
    })()`);
    const status = (await posted).status();
    // Another navigation would be interrupted by this one.
    await page.waitForURL(action);
    return status;
  }

  test('cannot sign the visitor in with a form, by log-in or by sign-up', async () => {
    for (const address of addresses()) {
      const visitor = await dashboard.newVisitor();
      const page = await visitor.context.newPage();
      const { email } = attacker;
      const logIn = asForm({ email, password: testPassword });
      const signUp = asForm({ email: `b=${crypto.randomUUID()}@example.com`, password: 'three-quiet-otters-sing' });
      expect(await submit(page, `${address}/api/auth/login`, logIn)).toBe(403);
      expect(await submit(page, `${address}/api/auth/register`, signUp)).toBe(403);
      expect(await visitor.context.cookies()).toEqual([]);
    }
  });

  test('cannot sign a visitor in or out with a script', async () => {
    const [address = ''] = addresses();
    const visitor = await dashboard.newVisitor();
    const customer = await dashboard.harness.createCustomer({ usd: '0' });
    await visitor.signIn(customer);
    const before = await visitor.context.cookies();
    const page = await visitor.context.newPage();
    await page.goto(`http://127.0.0.1:${foreign.port}/`);
    const { email } = attacker;
    for (const [path, body] of [
      ['login', JSON.stringify({ email, password: testPassword })],
      ['refresh', ''],
      ['logout', ''],
    ]) {
      await page.evaluate(
        ([target, text]) => fetch(target, { method: 'POST', mode: 'no-cors', credentials: 'include', body: text }),
        [`${address}/api/auth/${path}`, body ?? ''] as const,
      );
    }
    expect(await visitor.context.cookies()).toEqual(before);
    const own = await visitor.visit('/');
    await own.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  test("does not affect the dashboard itself, at admin's address and behind a reverse proxy", async () => {
    for (const address of addresses()) {
      const customer = await dashboard.harness.createCustomer({ usd: '0' });
      const visitor = await dashboard.newVisitor();
      const page = await visitor.context.newPage();
      await page.goto(`${address}/login`);
      await page.getByLabel('Email').fill(customer.email);
      await page.getByLabel('Password').fill(testPassword);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      const signedOut = page.waitForResponse('**/api/auth/logout');
      await page.evaluate(() => fetch('/api/auth/logout', { method: 'POST' }));
      expect((await signedOut).status()).toBe(204);
    }
  });
});
