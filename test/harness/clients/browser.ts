/**
 * Debian's Chromium, headless and without a network, driven by Playwright. If it is not installed, `chromiumPath` is
 * undefined, and the tests that need it are skipped and say how to install it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, type BrowserContextOptions, chromium, type Disposable, type Page } from 'playwright-core';
import { ofWorker } from '../of-worker.ts';
import { VisitorPlaces } from './visitor-places.ts';

/** The first is the same browser without its own windows, whose pages would share the CPU with those under test. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const startTimeoutMs = 120_000;
/** The browser can reach only this machine. */
const noNetwork = '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost';
/**
 * The tabs of a visitor are drawn by one process, which compiles the dashboard's scripts once, and no page lives long enough
 * for optimized code to pay off. `--in-process-gpu` would save a process, but of 2,500 starts with it three crashed.
 */
const leastWork = ['--process-per-site', '--js-flags=--no-opt,--no-maglev'];
/**
 * The list under the address bar is a page of its own in each window, although nobody sees it: it would take more than a page
 * under test. Of two lists only the last counts, so the rest repeats Playwright's, as far as it concerns a browser like this one.
 */
const withoutFeatures = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
  ...[
    'HttpsFirstBalancedModeAutoEnable',
    'LensOverlay',
    'MediaRouter',
    'PaintHolding',
    'ThirdPartyStoragePartitioning',
  ],
  ...['AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints', 'NetworkTimeServiceQuerying', 'AimEnabled'],
  'PreconnectToSearch',
];

export const chromiumPath = process.env.CHROMIUM_PATH ?? names.map((name) => Bun.which(name)).find(Boolean);
if (!chromiumPath) {
  console.info(
    'skipped what needs a browser: no Chromium found. Run `apt-get install chromium-headless-shell`, or set CHROMIUM_PATH.',
  );
}

export interface WatchedPage {
  readonly page: Page;
  /** Every address that the page has requested, in order. */
  readonly requests: readonly string[];
  /**
   * The browser's reports: failed requests, violations of the page's policy, exceptions, and everything that is logged.
   */
  readonly complaints: readonly string[];
}

/** One visitor's browser: its tabs share cookies and storage; another visitor has their own. */
export interface Visitor {
  /** Its cookies, permissions and routes end with the visit; a listener or an init script of its own would not. */
  readonly context: BrowserContext;
  /** Runs the script before those of each page that is opened later, until the visit ends or the returned function is called. */
  addInitScript(script: string): Promise<() => Promise<void>>;
  openPage(url: string): Promise<WatchedPage>;
}

/** The visitors of one caller, who leave with it. */
export interface Browser extends AsyncDisposable {
  newVisitor(options?: BrowserContextOptions): Promise<Visitor>;
}

/** The test files of a worker share the program; visitors share nothing: who comes gets the emptied place of one who has left. */
export async function openBrowser(executablePath: string): Promise<Browser> {
  const { places } = await ofWorker('chromium', () => startChromium(executablePath));
  const taken: (() => Promise<void>)[] = [];
  return {
    newVisitor: async (options) => {
      const place = await places.take({ viewport: { width: 1280, height: 1400 }, ...options });
      const { context } = place;
      const scripts = new Set<Disposable>();
      taken.push(async () => {
        await Promise.all([...scripts].map((script) => script.dispose()));
        await places.leave(place);
      });
      return {
        context,
        addInitScript: async (script) => {
          const added = await context.addInitScript(script);
          scripts.add(added);
          return async () => {
            if (scripts.delete(added)) await added.dispose();
          };
        },
        openPage: (url) => openPage(context, url),
      };
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(taken.map((leave) => leave()));
    },
  };
}

async function startChromium(executablePath: string) {
  const home = await mkdtemp(join(tmpdir(), 'gateway-chromium-'));
  const removeHome = () => rm(home, { recursive: true, force: true, maxRetries: 10 });
  try {
    const browser = await chromium.launch({
      executablePath,
      args: [noNetwork, ...leastWork, `--disable-features=${withoutFeatures.join()}`],
      env: { PATH: process.env.PATH ?? '', HOME: home },
      timeout: startTimeoutMs,
    });
    const places = new VisitorPlaces(browser);
    return {
      places,
      [Symbol.asyncDispose]: async () => {
        await browser.close();
        places.close();
        await removeHome();
      },
    };
  } catch (error) {
    await removeHome();
    throw error;
  }
}

async function openPage(context: BrowserContext, url: string): Promise<WatchedPage> {
  const page = await context.newPage();
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => complaints.push(`${message.text()} ${message.location().url}`));
  page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
  await page.goto(url);
  return { page, requests, complaints };
}
