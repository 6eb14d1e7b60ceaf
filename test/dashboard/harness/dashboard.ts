/**
 * The dashboard in a real browser, on the real product: Postgres, Redis, admin and proxy; only the model provider is
 * scripted. All complaints of a visitor's browser are collected, and there must be none at the end.
 */
import { expect } from 'bun:test';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { freePort } from '../../../local/servers/ports.ts';
import { waitFor } from '../../harness/account-view.ts';
import {
  type Browser,
  chromiumPath,
  openBrowser,
  type Visitor,
  type WatchedPage,
} from '../../harness/clients/browser.ts';
import { forgetVisitor } from '../../harness/clients/visitor-places.ts';
import { testPassword } from '../../harness/customers.ts';
import { type ReceivedMail, readMail } from '../../harness/mail-server.ts';
import type { Served } from '../../harness/programs.ts';
import { type ScriptedProvider, startScriptedProvider } from '../../harness/providers/scripted-provider.ts';
import { testCatalogue } from '../../harness/providers/test-catalogue.ts';
import { type Harness, startHarness } from '../../harness.ts';

const mailTimeoutMs = 120_000;
const loadTimeoutMs = 120_000;

interface SignIn {
  readonly email: string;
  readonly password?: string;
  /** Of those who have a second factor. */
  readonly code?: string;
}

export interface DashboardVisitor {
  /** Their browser. What is opened here without `visit` is not observed. */
  readonly context: Visitor['context'];
  readonly addInitScript: Visitor['addInitScript'];
  /** Signs a customer in without the log-in page. */
  signIn(customer: SignIn): Promise<void>;
  /** Nothing of the visitor is left in the browser, whose only tab shows no page of the dashboard then. */
  leave(tab: Page): Promise<void>;
  /**
   * Opens a path such as `/keys`, and waits until it has loaded: in a new tab, or in one that was opened here, which takes
   * a third of the time.
   */
  visit(path: string, tab?: Page): Promise<Page>;
}

export interface Dashboard extends AsyncDisposable {
  readonly harness: Harness;
  readonly provider: ScriptedProvider;
  readonly admin: Served;
  readonly proxy: Served;
  newVisitor(options?: BrowserContextOptions): Promise<DashboardVisitor>;
  /**
   * Opens a path as this customer, or not signed in, in the tab of the person who was there before and of whom nothing is left, in
   * half of the time of a new visitor. People whose pages are open at the same time need seats of their own.
   */
  openAs(customer: SignIn | undefined, path: string, seat?: number): Promise<Page>;
  /** The link in the newest mail to the address, as a path of the dashboard. */
  mailedPath(to: string): Promise<string>;
  /** Waits for a mail to the address whose subject matches. */
  mail(to: string, subject: RegExp): Promise<ReceivedMail>;
  /** Nothing was blocked, nothing failed, and only admin, the proxy and these origins were called. */
  expectClean(...origins: readonly string[]): void;
}

export interface DashboardOptions {
  readonly catalogue?: (baseUrl: string) => string;
  readonly adminEnvironment?: Readonly<Record<string, string>>;
  /** Where admin is; `localhost` for passkeys, which no address of numbers can have. */
  readonly host?: '127.0.0.1' | 'localhost';
}

export async function startDashboard(options: DashboardOptions = {}): Promise<Dashboard> {
  const { catalogue = testCatalogue, adminEnvironment, host = '127.0.0.1' } = options;
  const harness = await startHarness();
  const provider = startScriptedProvider();
  await harness.applyCatalogue(catalogue(provider.baseUrl));
  const [proxyPort, adminPort] = [await freePort(), await freePort()];
  const url = `http://${host}:${adminPort}`;
  const opened = await harness.openAdmin({
    ADMIN_PORT: String(adminPort),
    PUBLIC_URL: url,
    PROXY_PUBLIC_URL: `http://127.0.0.1:${proxyPort}`,
    ...adminEnvironment,
  });
  const admin: Served = { ...opened, url };
  const proxy = await harness.openProxy({ PROXY_PORT: String(proxyPort) });
  const browser = await openBrowser(chromiumPath ?? '');
  const pages: WatchedPage[] = [];
  const world = { browser, admin, pages };
  const seats: Seat[] = [];
  return {
    harness,
    provider,
    admin,
    proxy,
    newVisitor: (contextOptions) => newVisitor(world, contextOptions),
    openAs: async (customer, path, seat = 0) => {
      const taken = seats[seat] ?? { visitor: await newVisitor(world) };
      seats[seat] = taken;
      if (taken.tab !== undefined) await taken.visitor.leave(taken.tab);
      if (customer !== undefined) await taken.visitor.signIn(customer);
      taken.tab = await taken.visitor.visit(path, taken.tab);
      return taken.tab;
    },
    mailedPath: async (to) => linkOf(await findMail(harness, to, (mail) => linkOf(mail) !== undefined)) ?? '',
    mail: (to, subject) => findMail(harness, to, (mail) => subject.test(mail.header('subject') ?? '')),
    expectClean: (...origins) => {
      const requested = pages.flatMap(({ requests }) => requests.map((url) => new URL(url)));
      const own = new Set([admin.url, proxy.url, 'null', ...origins]);
      expect(requested.map(({ origin }) => origin).filter((origin) => !own.has(origin))).toEqual([]);
      expect(pages.flatMap(({ complaints }) => complaints.filter(isUnexpected))).toEqual([]);
    },
    [Symbol.asyncDispose]: async () => {
      await browser[Symbol.asyncDispose]();
      await provider.stop();
      await harness.stop();
    },
  };
}

/** The browser logs every response with an error's status, including those that a test provokes, and gives advice. */
const isUnexpected = (complaint: string) =>
  !complaint.startsWith('Failed to load resource: the server responded with') && !complaint.startsWith('[DOM]');

interface Seat {
  readonly visitor: DashboardVisitor;
  tab?: Page;
}

interface World {
  readonly browser: Browser;
  readonly admin: Served;
  readonly pages: WatchedPage[];
}

async function newVisitor(
  { browser, admin, pages }: World,
  contextOptions?: BrowserContextOptions,
): Promise<DashboardVisitor> {
  const visitor = await browser.newVisitor({ locale: 'en-GB', reducedMotion: 'reduce', ...contextOptions });
  const { context } = visitor;
  let signOut = async () => {};
  return {
    context,
    addInitScript: visitor.addInitScript,
    signIn: async ({ email, password = testPassword, code }) => {
      const send = (path: string, data: object) => context.request.post(`${admin.url}/api/auth/${path}`, { data });
      let response = await send('login', { email, password });
      if (code !== undefined) {
        const { challenge } = (await response.json()).error.details;
        response = await send('login/second-factor', { challenge, code });
      }
      if (!response.ok()) throw new Error(`login: ${response.status()} ${await response.text()}`);
      const { user } = (await response.json()) as { user: { id: number } };
      signOut = await visitor.addInitScript(`try { localStorage.setItem('gateway.session', '${user.id}') } catch {}`);
    },
    leave: async (tab) => {
      await signOut();
      await tab.unrouteAll();
      // A page of the dashboard could still store something.
      await tab.goto(`${admin.url}/api/none`);
      await forgetVisitor(context);
      await tab.evaluate('localStorage.clear(); sessionStorage.clear()');
    },
    visit: async (path, tab) => {
      if (tab === undefined) {
        const watched = await visitor.openPage(admin.url + path);
        pages.push(watched);
        tab = watched.page;
      } else {
        await tab.goto(admin.url + path);
      }
      await settled(tab);
      return tab;
    },
  };
}

/** To another page of the dashboard, as by a link, which takes a third of the time of a visit: what was loaded is still there. */
export async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate(`__TSR_ROUTER__.navigate({ href: ${JSON.stringify(path)} })`);
  await settled(page);
}

/** The page has its heading, and nothing on it still loads. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached', timeout: loadTimeoutMs });
}

/** The newest version that is accepted. */
async function findMail(harness: Harness, to: string, accept: (mail: ReceivedMail) => boolean): Promise<ReceivedMail> {
  const folder = join(harness.directory, 'mail');
  await mkdir(folder, { recursive: true });
  return waitFor(`a mail to ${to}`, mailTimeoutMs, async () => {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.eml')).sort();
    const mails = await Promise.all(names.map(async (name) => readMail(await Bun.file(join(folder, name)).text())));
    return mails.filter((mail) => mail.header('to')?.includes(to)).findLast(accept);
  });
}

function linkOf(mail: ReceivedMail): string | undefined {
  const [, path] = /https?:\/\/[^/\s]+(\/\S*token=\S+)/.exec(mail.part('text/plain')) ?? [];
  return path;
}
