/**
 * Where visitors of the dashboard sit: a context of the browser, and the process that draws its tabs, which take as much CPU to
 * start as two more tabs. So who comes later gets a place that has been left, and emptied.
 */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

const actionTimeoutMs = 180_000;
/** Each takes about 100 MB. */
const freeMax = 12;

export interface VisitorPlace {
  readonly context: BrowserContext;
  /** An empty tab of the same site, whose process draws the visitor's tabs too: it would end with the last of them. */
  readonly lasting: Page;
  readonly options: string;
}

/** What belongs to all tabs of a visitor. */
export async function forgetVisitor(context: BrowserContext): Promise<void> {
  await Promise.all([context.unrouteAll(), context.clearCookies(), context.clearPermissions()]);
}

export class VisitorPlaces {
  readonly #browser: Browser;
  readonly #free: VisitorPlace[] = [];
  /** On 127.0.0.1, as the programs under test: ports do not count. */
  readonly #site = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Response('', { headers: { 'content-type': 'text/html' } }),
  });

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  async take(options: BrowserContextOptions): Promise<VisitorPlace> {
    const wanted = JSON.stringify(options);
    const index = this.#free.findLastIndex((place) => place.options === wanted);
    const [found] = index < 0 ? [] : this.#free.splice(index, 1);
    if (found !== undefined) return found;
    const context = await this.#browser.newContext(options);
    context.setDefaultTimeout(actionTimeoutMs);
    const lasting = await context.newPage();
    await lasting.goto(this.#site.url.href);
    return { context, lasting, options: wanted };
  }

  /** What pages have stored stays: it belongs to the origin of programs that no later visitor will see, as no port is given twice. */
  async leave(place: VisitorPlace): Promise<void> {
    const { context, lasting } = place;
    // A clock that a test has set would stay.
    if (await lasting.evaluate<boolean>("!String(Date).includes('[native code]')")) return context.close();
    await Promise.all(context.pages().map((page) => page !== lasting && page.close()));
    await forgetVisitor(context);
    this.#free.push(place);
    if (this.#free.length > freeMax) await this.#free.shift()?.context.close();
  }

  close(): void {
    void this.#site.stop(true);
  }
}
